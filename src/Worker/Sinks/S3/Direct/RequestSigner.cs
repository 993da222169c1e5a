using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Pipeline.Buffers;
using Worker.Aws;

namespace Worker.Sinks.S3.Direct;

/// <summary>
/// Completes and signs the requests of one bucket. A PUT allocates its address, the body's hash and the Authorization header as
/// the texts that the HTTP client's interface asks for, and nothing else. Threads: any.
/// </summary>
internal sealed class RequestSigner
{
    private const string ContentType = "Content-Type";

    // 250 characters with an access key of 20; the buffer grows for longer ones.
    private const int AuthorizationBytes = 512;

    private readonly BucketAddress _address;
    private readonly SigV4Signer _signer;
    private readonly AwsClock _clock;
    private readonly BufferPool _buffers;
    private readonly bool _checksum;
    private readonly string _contentType;

    // What the settings say about objects, for every PUT the same.
    private readonly SigV4Header[] _constant;

    public RequestSigner(S3SinkOptions options, BucketAddress address, string region, AwsClock clock, BufferPool buffers)
    {
        _address = address;
        _signer = new SigV4Signer("s3", region, clock, buffers);
        _clock = clock;
        _buffers = buffers;
        _checksum = options.RequestChecksumCalculation == RequestChecksumCalculation.WHEN_SUPPORTED;
        _contentType = options.ObjectContentType;
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
        HeaderSlots slots = default;
        Span<SigV4Header> headers = slots;
        headers[0] = new SigV4Header(ContentType, _contentType);
        _constant.CopyTo(headers[1..]);
        int count = 1 + _constant.Length;
        if (_checksum)
        {
            // Of the checksums that S3 knows, the one that is there already.
            Set(message.Headers, headers, ref count, "x-amz-checksum-sha256", Convert.ToBase64String(hash));
        }

        return Sign(message, headers, count, hash, credentials);
    }

    /// <summary>Signs a request without a body.</summary>
    /// <returns>The time it was signed at, by the corrected clock.</returns>
    public DateTimeOffset Sign(HttpRequestMessage request, SigningCredentials credentials)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData([], hash);
        HeaderSlots slots = default;
        return Sign(request, slots, 0, hash, credentials);
    }

    private DateTimeOffset Sign(HttpRequestMessage request, Span<SigV4Header> headers, int count, ReadOnlySpan<byte> hash, SigningCredentials credentials)
    {
        DateTimeOffset at = _clock.UtcNow;
        Span<byte> hex = stackalloc byte[SHA256.HashSizeInBytes * 2];
        Convert.TryToHexStringLower(hash, hex, out _);
        headers[count++] = new SigV4Header("host", _address.Host);
        Set(request.Headers, headers, ref count, "x-amz-content-sha256", Encoding.ASCII.GetString(hex));
        Set(request.Headers, headers, ref count, "x-amz-date", _signer.DateTimeOf(at));
        Set(request.Headers, headers, ref count, "x-amz-security-token", credentials.SessionToken);

        ReadOnlySpan<char> target = _address.TargetOf(request.RequestUri!);
        int query = target.IndexOf('?');
        PooledBuffer authorization = _buffers.Rent(AuthorizationBytes);
        try
        {
            SigV4Request description = new()
            {
                Method = request.Method.Method,
                Path = query < 0 ? target : target[..query],
                Query = query < 0 ? default : target[(query + 1)..],
                Headers = headers[..count],
                PayloadHash = hex,
            };
            _signer.AppendAuthorization(authorization, description, credentials, at);
            request.Headers.Remove("Authorization");
            request.Headers.TryAddWithoutValidation("Authorization", Encoding.ASCII.GetString(authorization.WrittenSpan));
        }
        finally
        {
            authorization.Dispose();
        }

        return at;
    }

    private static void Set(HttpRequestHeaders headers, Span<SigV4Header> signed, ref int count, string name, string? value)
    {
        headers.Remove(name);
        if (value is not null)
        {
            headers.TryAddWithoutValidation(name, value);
            signed[count++] = new SigV4Header(name, value);
        }
    }

    // Content type, four constant ones, checksum, host, hash, date, token.
    [InlineArray(10)]
    private struct HeaderSlots
    {
        private SigV4Header _first;
    }
}
