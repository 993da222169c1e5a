using Amazon.Runtime;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// Section <c>Sinks:S3</c>. Region, endpoint and credentials come from the section <c>Aws</c>; settings here override them, for queues and
/// objects in different places.
/// </summary>
internal sealed partial class S3SinkOptions : ISelfValidating
{
    public const string Section = "Sinks:S3";

    [Setting(
        "Auto (the worker's own client, a fraction of the cost per PUT; AWSSDK.S3 for a directory bucket) or Sdk (AWSSDK.S3); docs/reference/s3.md compares "
            + "them", Advanced = true)]
    public S3ClientKind Client { get; init; }

    [Setting("Bucket the objects are stored in, or the ARN or alias of an access point; it must exist", Required = true)]
    public string? Bucket { get; init; }

    [Setting("Region of the bucket; default Aws:Region and its defaults")]
    public string? Region { get; init; }

    [Setting(
        "Address of an S3-compatible store; it may have a path; default Aws:Endpoint, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, "
            + "endpoint_url of the AWS profile, then AWS itself")]
    public Uri? Endpoint { get; init; }

    [Setting("Address the bucket in the path instead of the hostname; default true for an S3-compatible store, false for AWS")]
    public bool? ForcePathStyle { get; init; }

    [Setting("Allows plain http to an endpoint on another machine", Advanced = true)]
    public bool AllowPlainHttp { get; init; }

    [Setting("Access key id; default: the credentials of the section Aws", Secret = true)]
    public string? AccessKeyId { get; init; }

    [Setting("Secret access key that belongs to AccessKeyId", Secret = true)]
    public string? SecretAccessKey { get; init; }

    [Setting("Session token of the temporary credentials in AccessKeyId and SecretAccessKey", Secret = true, Advanced = true)]
    public string? SessionToken { get; init; }

    [Setting("Profile in the shared AWS configuration files; default: the credentials of the section Aws", Advanced = true)]
    public string? Profile { get; init; }

    [Setting(
        "Store with If-None-Match: *, so that the store never overwrites an object; false for a store that does not support it",
        Consequence = "With false, two messages with the same key that are stored at the same time can overwrite each other unnoticed.", Advanced = true)]
    public bool Conditional { get; init; } = true;

    [Setting(
        "WHEN_REQUIRED or WHEN_SUPPORTED: whether a checksum header is sent in addition to the SHA-256 that signs every body (Sdk: CRC32, Direct: SHA-256); "
            + "many S3-compatible stores refuse it. A bucket whose objects are locked by default (object lock) requires it", Advanced = true)]
    public RequestChecksumCalculation RequestChecksumCalculation { get; init; } = RequestChecksumCalculation.WHEN_REQUIRED;

    [Setting("Time to open a connection", Min = "100ms", Max = "1m", Advanced = true)]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    [Setting("Time limit of one request", Min = "100ms", Max = "5m", Advanced = true)]
    public TimeSpan AttemptTimeout { get; init; } = TimeSpan.FromSeconds(5);

    [Setting(
        "Time limit of storing one object, all attempts and waits included", Min = "100ms", Max = "10m",
        Consequence = "Beyond the queue's visibility timeout a message would be handled twice.", Advanced = true)]
    public TimeSpan TotalTimeout { get; init; } = TimeSpan.FromSeconds(20);

    [Setting("Attempts to store one object, the first included", Min = "1", Max = "20", Advanced = true)]
    public int MaxAttempts { get; init; } = 3;

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        bool isOfAnotherStore = Endpoint is not null && ForcePathStyle != false;
        if (Bucket is not null
            && !(isOfAnotherStore ? BucketName.IsOfAnyStore(Bucket) : BucketName.IsValid(Bucket))
            && BucketName.RegionOfAccessPoint(Bucket) is null)
        {
            check.Fail(
                nameof(Bucket),
                "must be a bucket's name: 3 to 63 lower-case letters, digits, dots and dashes; or the ARN of an access point: "
                    + "arn:aws:s3:eu-west-1:123456789012:accesspoint/name. Capitals and underscores need Endpoint, with the bucket in the path.",
                    "Requests would go elsewhere.", nameof(Endpoint), nameof(ForcePathStyle));
        }

        if (Region is not null && !AwsRegion.IsWellFormed(Region))
        {
            check.Fail(nameof(Region), "must be a region's name such as eu-west-1.", "Signatures would be refused.");
        }

        if (ConnectTimeout > AttemptTimeout)
        {
            check.Fail(nameof(ConnectTimeout), $"must not be above {nameof(AttemptTimeout)}.", "It would never be reached.", nameof(AttemptTimeout));
        }

        if (AttemptTimeout > TotalTimeout)
        {
            check.Fail(nameof(AttemptTimeout), $"must not be above {nameof(TotalTimeout)}.", "It would never be reached.", nameof(TotalTimeout));
        }

        AwsOptions.CheckCredentials(check, AccessKeyId, SecretAccessKey, SessionToken, Profile);
        ValidateObject(check);
    }

    /// <summary>True for a bucket that only AWSSDK.S3 knows: it needs a session (CreateSession) and other hostnames.</summary>
    public bool IsDirectoryBucket => Bucket?.EndsWith("--x-s3", StringComparison.Ordinal) == true;

    /// <summary>The settings of the section <c>Aws</c>, overridden by these. Credentials come from one of the two sections, never mixed.</summary>
    public AwsOptions Over(AwsOptions shared)
    {
        bool ownCredentials = AccessKeyId is not null || Profile is not null;
        return new AwsOptions
        {
            Region = Region ?? shared.Region,
            Endpoint = Endpoint ?? shared.Endpoint,
            AllowPlainHttp = AllowPlainHttp || shared.AllowPlainHttp,
            AccessKeyId = ownCredentials ? AccessKeyId : shared.AccessKeyId,
            SecretAccessKey = ownCredentials ? SecretAccessKey : shared.SecretAccessKey,
            SessionToken = ownCredentials ? SessionToken : shared.SessionToken,
            Profile = ownCredentials ? Profile : shared.Profile,
        };
    }
}

/// <summary>Which client calls the store; docs/reference/s3.md compares them.</summary>
internal enum S3ClientKind
{
    /// <summary>The worker's own client (SigV4 over SocketsHttpHandler), unless the bucket needs AWSSDK.S3.</summary>
    Auto = 0,

    /// <summary>AWSSDK.S3.</summary>
    Sdk,
}
