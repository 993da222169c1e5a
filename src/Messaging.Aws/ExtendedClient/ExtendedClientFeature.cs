using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Aws.ExtendedClient;

/// <summary>The envelope <c>ExtendedClient</c> of routes.</summary>
internal sealed class ExtendedClientFeature : IEnvelopeFeature
{
    public string Name => "ExtendedClient";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ExtendedClientOptions>(ExtendedClientOptions.Section)];

    public bool IsRecognized(ReadOnlyMemory<byte> body) => PayloadPointer.TryRead(body.Span, out _);

    public EnvelopePlan Configure(SettingsReader settings, string route)
    {
        ExtendedClientOptions options = settings.Read<ExtendedClientOptions>(ExtendedClientOptions.Section, route);
        AwsOptions aws = settings.Read<AwsOptions>(AwsOptions.Section, route);
        return new EnvelopePlan
        {
            CallsService = true,
            Create = services =>
            {
                S3ObjectReader reader = S3ObjectReader.Create(aws, options.ForcePathStyle, options.ObjectTimeout, services.Time, services.Calls);
                services.Owned.Add(reader);
                return new ExtendedClientEnvelope(
                    (pointer, limit, cancellationToken) => reader.OpenAsync(pointer.Bucket, pointer.Key, versionId: null, eTag: null, limit, cancellationToken),
                    options,
                    services.Breaker,
                    services.Time);
            },
        };
    }
}

/// <summary>Section <c>Envelopes:ExtendedClient</c>: where the payloads of the SQS Extended Client may be.</summary>
internal sealed class ExtendedClientOptions : ISelfValidating
{
    public const string Section = "Envelopes:ExtendedClient";

    [Setting("Buckets that payloads may be read from, separated by commas; a pointer to another bucket is dead-lettered", Required = true)]
    public string[] Buckets { get; init; } = [];

    [Setting("Time limit of reading one payload", Min = "1s", Max = "1h", Advanced = true)]
    public TimeSpan ObjectTimeout { get; init; } = TimeSpan.FromSeconds(30);

    [Setting(
        "Deliveries of a message whose payload does not exist before it is dead-lettered as pointer-object-missing", Min = "1", Max = "1000", Advanced = true)]
    public int MissingObjectDeliveries { get; init; } = 3;

    [Setting("Address buckets in the path instead of the hostname; default true for an S3-compatible store, false for AWS", Advanced = true)]
    public bool? ForcePathStyle { get; init; }

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        if (Buckets.FirstOrDefault(bucket => !BucketName.IsValid(bucket)) is { } wrong)
        {
            check.Fail(
                nameof(Buckets), $"must be bucket names of 3 to 63 lower-case letters, digits, dots and dashes; \"{wrong}\" is not one.",
                "Requests would go elsewhere.");
        }
    }
}
