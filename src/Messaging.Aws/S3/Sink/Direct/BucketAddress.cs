using System.Buffers;
using System.Text;
using Amazon.Runtime;
using Amazon.S3.Endpoints;
using Amazon.S3.Internal;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// The addresses of requests to a bucket, encoded as they are signed. Nothing is normalised: <c>//</c> and dot segments are part of a key.
/// Immutable. Sources: "Virtual hosting of buckets", "Amazon S3 endpoints and quotas"; "Create a signed AWS API request" (UriEncode).
/// </summary>
internal sealed class BucketAddress
{
    private static readonly SearchValues<byte> Plain =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"u8);

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

    /// <summary>The address of a bucket, or of an access point by its ARN. AWS's own addresses come from AWSSDK.S3's rules.</summary>
    /// <exception cref="StartupException">AWS has no such endpoint, such as FIPS in China.</exception>
    public static BucketAddress Create(string bucket, S3Endpoint endpoint)
    {
        if (endpoint.Custom is { } custom)
        {
            // A certificate for *.store.example does not match a bucket name with a dot, and IP addresses have no subdomains.
            bool inPath = endpoint.PathStyle || custom.HostNameType != UriHostNameType.Dns || (custom.Scheme == Uri.UriSchemeHttps && bucket.Contains('.'));
            string authority = SigV4Signer.HostOf(custom);
            string path = custom.AbsolutePath.TrimEnd('/');
            return new BucketAddress(inPath ? $"{custom.Scheme}://{authority}{path}/{bucket}/" : $"{custom.Scheme}://{bucket}.{authority}{path}/");
        }

        S3EndpointParameters parameters = new()
        {
            Bucket = bucket,
            Region = endpoint.Region,
            ForcePathStyle = endpoint.PathStyle,
            UseFIPS = endpoint.IsFips,
            UseDualStack = endpoint.IsDualStack,
        };
        try
        {
            return new BucketAddress($"{new AmazonS3EndpointProvider().ResolveEndpoint(parameters).URL.TrimEnd('/')}/");
        }
        catch (AmazonClientException exception)
        {
            throw new StartupException(
                $"AWS has no endpoint for the bucket '{bucket}' with these settings (Sinks:S3, Aws, the environment): {exception.Message}",
                ExitCodes.Configuration, exception);
        }
    }

    /// <summary>The address of an object: allocates one string and one Uri; encodes the key, but never normalises it.</summary>
    public Uri Of(ReadOnlySpan<byte> key)
    {
        string text = string.Create(_root.Length + EncodedLength(key), new Parts(_root, key), static (target, parts) =>
        {
            parts.Root.CopyTo(target);
            Encode(parts.Key, target[parts.Root.Length..]);
        });
        return new Uri(text, AsWritten);
    }

    /// <summary>The address of the bucket with a query.</summary>
    /// <param name="query">Sorted and encoded as SigV4 requires, without the question mark.</param>
    public Uri OfBucket(string query) => new($"{_root}?{query}", AsWritten);

    /// <summary>Path and query of an address created here, as they are sent.</summary>
    public ReadOnlySpan<char> TargetOf(Uri address) => address.OriginalString.AsSpan(_pathStart);

    /// <summary>The number of characters that <see cref="Encode"/> writes.</summary>
    public static int EncodedLength(ReadOnlySpan<byte> key)
    {
        int length = key.Length;
        for (int special = key.IndexOfAnyExcept(Plain); special >= 0; special = key.IndexOfAnyExcept(Plain))
        {
            length += 2;
            key = key[(special + 1)..];
        }

        return length;
    }

    /// <summary>
    /// Encodes a key as S3's canonical request does: every byte except the unreserved ones and the slash as <c>%XX</c> in capitals; <paramref name="target"/>
    /// is exactly <see cref="EncodedLength"/> long.
    /// </summary>
    public static void Encode(ReadOnlySpan<byte> key, Span<char> target)
    {
        while (true)
        {
            int plain = key.IndexOfAnyExcept(Plain);
            plain = plain < 0 ? key.Length : plain;
            Ascii.ToUtf16(key[..plain], target, out _);
            if (plain == key.Length)
            {
                return;
            }

            target[plain] = '%';
            target[plain + 1] = "0123456789ABCDEF"[key[plain] >> 4];
            target[plain + 2] = "0123456789ABCDEF"[key[plain] & 15];
            key = key[(plain + 1)..];
            target = target[(plain + 3)..];
        }
    }

    private readonly ref struct Parts(string root, ReadOnlySpan<byte> key)
    {
        public readonly string Root = root;
        public readonly ReadOnlySpan<byte> Key = key;
    }
}
