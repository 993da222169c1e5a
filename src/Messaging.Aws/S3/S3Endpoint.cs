using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.S3;

/// <summary>The configured store; the same for every client.</summary>
/// <param name="Custom">An S3-compatible store's address; null for AWS itself.</param>
/// <param name="Region">The region to sign for.</param>
/// <param name="PathStyle">True when the bucket is in the path, false when it is in the hostname.</param>
internal sealed record S3Endpoint(Uri? Custom, string Region, bool PathStyle)
{
    /// <summary>True for AWS's endpoints with validated cryptography: <c>AWS_USE_FIPS_ENDPOINT</c>, <c>use_fips_endpoint</c>.</summary>
    public bool IsFips { get; init; }

    /// <summary>True for AWS's endpoints with IPv6: <c>AWS_USE_DUALSTACK_ENDPOINT</c>, <c>use_dualstack_endpoint</c>.</summary>
    public bool IsDualStack { get; init; }

    /// <summary>
    /// Finds the endpoint; opens no connection to it. Without a configured region it looks one up, which may take seconds outside AWS. Without
    /// <paramref name="forcePathStyle"/> the bucket is where the kind of store needs it. The ARN of an access point names the region itself.
    /// </summary>
    /// <exception cref="StartupException">There is no usable region or endpoint.</exception>
    public static S3Endpoint Resolve(bool? forcePathStyle, AwsOptions aws, Func<string, string?> environment, string? bucket = null)
    {
        Uri? custom = AwsEndpoint.FindCustom(aws, "S3", environment);
        string? ofAccessPoint = bucket is null ? null : BucketName.RegionOfAccessPoint(bucket);
        if (custom is not null && ofAccessPoint is not null)
        {
            throw new StartupException(
                $"The bucket is the access point {bucket}, which only AWS has, but {custom} is configured as the endpoint: remove one of them.",
                ExitCodes.Configuration);
        }

        // Most stores outside AWS have no regions and accept S3's first one.
        string region = ofAccessPoint ?? AwsRegion.Resolve(aws, fromAddress: null, environment, otherwise: custom is null ? null : "us-east-1");
        return new S3Endpoint(custom, region, forcePathStyle ?? custom is not null)
        {
            IsFips = custom is null && AwsEndpoint.IsFips,
            IsDualStack = custom is null && AwsEndpoint.IsDualStack,
        };
    }
}

/// <summary>
/// The rules for bucket names that keep a name a single host label or path segment:
/// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html.
/// </summary>
internal static class BucketName
{
    /// <summary>True for a name that is safe in a hostname and as one path segment.</summary>
    public static bool IsValid(string name) =>
        name.Length is >= 3 and <= 63
        && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '.' or '-')
        && char.IsAsciiLetterOrDigit(name[0])
        && char.IsAsciiLetterOrDigit(name[^1])
        && !name.Contains("..", StringComparison.Ordinal);

    /// <summary>True for a name that is safe as one path segment: other stores than AWS's also allow up to 255 characters, capitals and underscores.</summary>
    internal static bool IsOfAnyStore(string name) =>
        name.Length is >= 3 and <= 255 && char.IsAsciiLetterOrDigit(name[0]) && !name.Contains("..", StringComparison.Ordinal)
        && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_');

    /// <summary>
    /// The region in the ARN of an access point, such as <c>arn:aws:s3:eu-west-1:123456789012:accesspoint/name</c>; null for everything else.
    /// </summary>
    internal static string? RegionOfAccessPoint(string bucket) =>
        bucket.Split(':', '/') is ["arn", ['a', 'w', 's', ..], "s3", var region, { Length: 12 } account, "accesspoint", var name]
        && AwsRegion.IsWellFormed(region) && account.All(char.IsAsciiDigit) && IsValid(name)
            ? region
            : null;
}
