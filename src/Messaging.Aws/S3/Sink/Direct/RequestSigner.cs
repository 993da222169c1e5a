using System.Net.Http.Headers;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Completes and signs the requests of one bucket. A PUT allocates its address, the body's hash and the Authorization header as
/// the texts that the HTTP client's interface asks for, and nothing else. Threads: any.
/// </summary>
internal sealed class RequestSigner
{
    private const string ContentType = "Content-Type";
    private const string Authorization = "Authorization";

    private static readonly string EmptyHash = Convert.ToHexStringLower(SHA256.HashData([]));

    private readonly BucketAddress _address;
    private readonly SigV4Signer _signer;
    private readonly AwsClock _clock;
    private readonly bool _checksum;
    private readonly string _contentType;

    // What the settings say about objects, for every PUT the same.
    private readonly SigV4Header[] _constant;
    private readonly PutCanonicalRequest _canonical;

    public RequestSigner(S3SinkOptions options, string contentType, BucketAddress address, string region, AwsClock clock, BufferPool buffers)
    {
        _address = address;
        _signer = new SigV4Signer("s3", region, clock, buffers);
        _clock = clock;
        _checksum = options.RequestChecksumCalculation == RequestChecksumCalculation.WHEN_SUPPORTED;
        _contentType = contentType;
        ReadOnlySpan<(string Name, string? Value)> headers =
        [
            ("If-None-Match", options.Conditional ? "*" : null),
            ("x-amz-server-side-encryption", options.ServerSideEncryption),
            ("x-amz-server-side-encryption-aws-kms-key-id", options.KmsKeyId),
            ("x-amz-storage-class", options.StorageClass),
        ];
        List<SigV4Header> constant = [];
        foreach ((string name, string? value) in headers)
        {
            if (value is not null)
            {
                constant.Add(new SigV4Header(name, value));
            }
        }

        _constant = [.. constant];
        _canonical = new PutCanonicalRequest([.. _constant, new SigV4Header(ContentType, _contentType), new SigV4Header("host", address.Host)], _checksum);
    }

    /// <summary>Makes a request that puts objects, with the headers that are the same for all.</summary>
    public PutRequest CreatePut(TimeProvider time)
    {
        PutRequest request = new(time);
        request.Message.Content!.Headers.TryAddWithoutValidation(ContentType, _contentType);
        foreach (SigV4Header header in _constant)
        {
            request.Message.Headers.TryAddWithoutValidation(header.Name, header.Value);
        }

        return request;
    }

    /// <summary>Gives a PUT its address, hash and signature, in place of those of the request before.</summary>
    /// <returns>The time it was signed at, by the corrected clock.</returns>
    public DateTimeOffset Sign(PutRequest request, ReadOnlySpan<byte> key, ReadOnlySpan<byte> body, SigningCredentials credentials)
    {
        HttpRequestMessage message = request.Message;
        message.RequestUri = _address.Of(key);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(body, hash);
        Span<byte> hex = stackalloc byte[SHA256.HashSizeInBytes * 2];
        Convert.TryToHexStringLower(hash, hex, out _);
        DateTimeOffset at = _clock.UtcNow;
        string date = _signer.DateTimeOf(at);

        // Of the checksums that S3 knows, the one that is there already.
        string checksum = _checksum ? Convert.ToBase64String(hash) : string.Empty;
        PooledBuffer canonical = SigV4Signer.Scratch();
        _canonical.Write(canonical, _address.TargetOf(message.RequestUri), hex, date, checksum, credentials.SessionToken);
        string authorization = _signer.Authorize(canonical.WrittenSpan, _canonical.SignedNames(credentials.SessionToken is not null), credentials, at);

        HttpRequestHeaders headers = message.Headers;
        if (_checksum)
        {
            Set(headers, PutCanonicalRequest.Checksum, checksum);
        }

        Set(headers, PutCanonicalRequest.ContentHash, Encoding.ASCII.GetString(hex));
        request.SetStamp(date, credentials.SessionToken);
        Set(headers, Authorization, authorization);
        return at;
    }

    /// <summary>Signs a request without a body.</summary>
    /// <returns>The time it was signed at, by the corrected clock.</returns>
    public DateTimeOffset Sign(HttpRequestMessage request, SigningCredentials credentials)
    {
        DateTimeOffset at = _clock.UtcNow;
        string date = _signer.DateTimeOf(at);
        List<SigV4Header> headers =
        [
            new("host", _address.Host),
            new(PutCanonicalRequest.ContentHash, EmptyHash),
            new(PutCanonicalRequest.Date, date),
        ];
        if (credentials.SessionToken is { } token)
        {
            headers.Add(new SigV4Header(PutCanonicalRequest.Token, token));
            Set(request.Headers, PutCanonicalRequest.Token, token);
        }

        Set(request.Headers, PutCanonicalRequest.ContentHash, EmptyHash);
        Set(request.Headers, PutCanonicalRequest.Date, date);
        ReadOnlySpan<char> target = _address.TargetOf(request.RequestUri!);
        int query = target.IndexOf('?');
        SigV4Request description = new()
        {
            Method = request.Method.Method,
            Path = query < 0 ? target : target[..query],
            Query = query < 0 ? default : target[(query + 1)..],
            Headers = CollectionsMarshal.AsSpan(headers),
            PayloadHash = Encoding.ASCII.GetBytes(EmptyHash),
        };
        Set(request.Headers, Authorization, _signer.Authorize(description, credentials, at));
        return at;
    }

    private static void Set(HttpRequestHeaders headers, string name, string value)
    {
        headers.Remove(name);
        headers.TryAddWithoutValidation(name, value);
    }
}
