using Messaging.Configuration;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// The addresses of requests to a bucket. Immutable. Source: "Virtual hosting of buckets" and "Amazon S3 endpoints and quotas".
/// </summary>
internal sealed class BucketAddress
{
    // HttpClient would otherwise turn /bucket/../other into /other: another object, and a wrong signature.
    private static readonly UriCreationOptions AsWritten = new() { DangerousDisablePathAndQueryCanonicalization = true };

    private readonly string _root;
    private readonly int _pathStart;

    private BucketAddress(string root)
    {
        Uri uri = new(root, AsWritten);
        _root = root;
        _pathStart = uri.GetLeftPart(UriPartial.Authority).Length;
        Host = SigV4Signer.HostOf(uri);
    }

    /// <summary>The Host header of every request.</summary>
    public string Host { get; }

    /// <summary>The address of a bucket; <paramref name="variant"/> is the AWS setting that asks for another kind of endpoint, null for the usual one.</summary>
    /// <exception cref="StartupException">The settings ask for an endpoint whose hostname only the SDK knows.</exception>
    public static BucketAddress Create(string bucket, S3Endpoint endpoint, string? variant = null)
    {
        if (endpoint.Custom is { } custom)
        {
            // A certificate for *.store.example does not match a bucket name with a dot, and IP addresses have no subdomains.
            bool inPath = endpoint.PathStyle || custom.HostNameType != UriHostNameType.Dns || (custom.Scheme == Uri.UriSchemeHttps && bucket.Contains('.'));
            string authority = SigV4Signer.HostOf(custom);
            return new BucketAddress(inPath ? $"{custom.Scheme}://{authority}/{bucket}/" : $"{custom.Scheme}://{bucket}.{authority}/");
        }

        if (variant is not null)
        {
            throw new StartupException(
                $"{variant} is true, which Sinks:S3:Client=Direct does not support: set Sinks:S3:Endpoint to that endpoint, or Sinks:S3:Client=Sdk.",
                ExitCodes.Configuration);
        }

        string host = $"s3.{endpoint.Region}.{AwsRegion.DomainOf(endpoint.Region)}";
        return new BucketAddress(endpoint.PathStyle || bucket.Contains('.') ? $"https://{host}/{bucket}/" : $"https://{bucket}.{host}/");
    }

    /// <summary>The address of an object: allocates one string and one Uri; encodes the key, but never normalises it.</summary>
    public Uri Of(ReadOnlySpan<byte> key)
    {
        string text = string.Create(_root.Length + ObjectKeyEncoder.LengthOf(key), new Parts(_root, key), static (target, parts) =>
        {
            parts.Root.CopyTo(target);
            ObjectKeyEncoder.Encode(parts.Key, target[parts.Root.Length..]);
        });
        return new Uri(text, AsWritten);
    }

    /// <summary>The address of the bucket with a query.</summary>
    /// <param name="query">Sorted and encoded as SigV4 requires, without the question mark.</param>
    public Uri OfBucket(string query) => new($"{_root}?{query}", AsWritten);

    /// <summary>Path and query of an address created here, as they are sent.</summary>
    public ReadOnlySpan<char> TargetOf(Uri address) => address.OriginalString.AsSpan(_pathStart);

    private readonly ref struct Parts(string root, ReadOnlySpan<byte> key)
    {
        public readonly string Root = root;
        public readonly ReadOnlySpan<byte> Key = key;
    }
}
