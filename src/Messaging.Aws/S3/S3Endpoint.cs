using Messaging.Configuration;

namespace Messaging.Aws.S3;

/// <summary>The configured store; the same for every client.</summary>
/// <param name="Custom">An S3-compatible store's address; null for AWS itself.</param>
/// <param name="Region">The region to sign for.</param>
/// <param name="PathStyle">True when the bucket is in the path, false when it is in the hostname.</param>
internal sealed record S3Endpoint(Uri? Custom, string Region, bool PathStyle)
{
    /// <summary>
    /// Finds the endpoint; opens no connection to it. Without a configured region it looks one up, which may take seconds outside AWS. Without
    /// <paramref name="forcePathStyle"/> the bucket is where the kind of store needs it.
    /// </summary>
    /// <exception cref="StartupException">There is no usable region or endpoint.</exception>
    public static S3Endpoint Resolve(bool? forcePathStyle, AwsOptions aws, Func<string, string?> environment)
    {
        Uri? custom = AwsEndpoint.FindCustom(aws, "S3", environment);

        // Most stores outside AWS have no regions and accept S3's first one.
        string region = AwsRegion.Resolve(aws, fromAddress: null, environment, otherwise: custom is null ? null : "us-east-1");
        return new S3Endpoint(custom, region, forcePathStyle ?? custom is not null);
    }
}

/// <summary>The rules for bucket names that keep a name a single host label or path segment: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html.</summary>
public static class BucketName
{
    /// <summary>True for a name that is safe in a hostname and as one path segment.</summary>
    public static bool IsValid(string name) =>
        name.Length is >= 3 and <= 63
        && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '.' or '-')
        && char.IsAsciiLetterOrDigit(name[0])
        && char.IsAsciiLetterOrDigit(name[^1])
        && !name.Contains("..", StringComparison.Ordinal);
}
