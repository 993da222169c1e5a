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
                S3ObjectReader reader = S3ObjectReader.Create(aws, forcePathStyle: null, options.ObjectTimeout, services.Time, services.Calls);
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
