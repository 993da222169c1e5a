using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Completes and signs the requests of one bucket. A PUT allocates only the strings that HttpClient requires: its address, the body's
/// hash and the Authorization header. Threads: any.
/// </summary>
internal sealed class PutSigner : SigV4Signer
{
    public const string Date = "x-amz-date";
    public const string Token = "x-amz-security-token";

    private const string Checksum = "x-amz-checksum-sha256";
    private const string ContentHash = "x-amz-content-sha256";
    private const string ContentType = "Content-Type";
    private const string Authorization = "Authorization";

    private readonly BucketAddress _address;
    private readonly bool _checksum;
    private readonly string _contentType;

    // The headers from the settings, the same for every PUT.
    private readonly SigV4Header[] _constant;

    // The parts of a PUT's canonical request that never change.
    private readonly byte[] _before;
    private readonly byte[] _after;
    private readonly byte[] _names;
    private readonly byte[] _namesWithToken;

    public PutSigner(S3SinkOptions options, string contentType, BucketAddress address, string region, AwsClock clock)
        : base("s3", region, clock)
    {
        _address = address;
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
        SigV4Header[] sorted = [.. _constant, new SigV4Header(ContentType, _contentType), new SigV4Header("host", address.Host)];
        Array.Sort(sorted, SigV4Header.Compare);

        // The changing headers (checksum, hash, date, token) are adjacent in the order of names.
        _before = Lines(sorted, sign: -1);
        _after = Lines(sorted, sign: 1);
        string[] changing = _checksum ? [Checksum, ContentHash, Date] : [ContentHash, Date];
        _names = Names([.. sorted, .. changing.Select(name => new SigV4Header(name, string.Empty))]);
        _namesWithToken = Names([.. sorted, .. changing.Append(Token).Select(name => new SigV4Header(name, string.Empty))]);
    }

    /// <summary>Creates a reusable PUT with the headers that are the same for all objects.</summary>
    public PutRequest CreatePut(TimeProvider time)
    {
        PutRequest request = new(time);
        request.Content!.Headers.TryAddWithoutValidation(ContentType, _contentType);
        foreach (SigV4Header header in _constant)
        {
            request.Headers.TryAddWithoutValidation(header.Name, header.Value);
        }

        return request;
    }

    public override DateTimeOffset Sign(HttpRequestMessage request, SigningCredentials credentials)
    {
        if (request is PutRequest put)
        {
            return SignPut(put, credentials);
        }

        Set(request.Headers, ContentHash, AwsRequestSigner.EmptyHash);
        return base.Sign(request, credentials);
    }

    /// <summary>Sets a PUT's address, hash and signature, which replace those of the previous request.</summary>
    private DateTimeOffset SignPut(PutRequest request, SigningCredentials credentials)
    {
        request.RequestUri = _address.Of(request.Key.Span);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(BorrowedContent.Of(request).Span, hash);
        Span<byte> hex = stackalloc byte[SHA256.HashSizeInBytes * 2];
        Convert.TryToHexStringLower(hash, hex, out _);
        DateTimeOffset at = Clock.UtcNow;
        string date = DateTimeOf(at);

        // SHA-256, because it is already computed for the signature.
        string checksum = _checksum ? Convert.ToBase64String(hash) : string.Empty;
        PooledBuffer canonical = Scratch();
        WriteCanonical(canonical, _address.TargetOf(request.RequestUri), hex, date, checksum, credentials.SessionToken);
        string authorization = Authorize(canonical.WrittenSpan, credentials.SessionToken is null ? _names : _namesWithToken, credentials, at);

        HttpRequestHeaders headers = request.Headers;
        if (_checksum)
        {
            Set(headers, Checksum, checksum);
        }

        Set(headers, ContentHash, Encoding.ASCII.GetString(hex));
        request.SetStamp(date, credentials.SessionToken);
        Set(headers, Authorization, authorization);
        return at;
    }

    /// <summary>Appends the canonical request. The hash is 64 lower-case hex digits; the checksum is empty when none is sent.</summary>
    private void WriteCanonical(PooledBuffer output, ReadOnlySpan<char> path, ReadOnlySpan<byte> hash, string date, string checksum, string? token)
    {
        output.Append("PUT\n"u8);
        output.Advance(Encoding.ASCII.GetBytes(path, output.GetSpan(path.Length)));
        output.Append("\n\n"u8);
        output.Append(_before);
        if (_checksum)
        {
            AppendLine(output, "x-amz-checksum-sha256:"u8, checksum);
        }

        output.Append("x-amz-content-sha256:"u8);
        output.Append(hash);
        AppendLine(output, "\nx-amz-date:"u8, date);
        if (token is not null)
        {
            AppendLine(output, "x-amz-security-token:"u8, token);
        }

        output.Append(_after);
        output.Append("\n"u8);
        output.Append(token is null ? _names : _namesWithToken);
        output.Append("\n"u8);
        output.Append(hash);
    }

    private static byte[] Lines(SigV4Header[] sorted, int sign)
    {
        using PooledBuffer buffer = BufferPool.Shared.Rent();
        SigV4Header.AppendAll(buffer, [.. sorted.Where(header => Math.Sign(string.CompareOrdinal(header.Name.ToLowerInvariant(), ContentHash)) == sign)]);
        return buffer.WrittenSpan.ToArray();
    }

    private static byte[] Names(SigV4Header[] headers)
    {
        Array.Sort(headers, SigV4Header.Compare);
        using PooledBuffer buffer = BufferPool.Shared.Rent();
        SigV4Header.AppendNames(buffer, headers);
        return buffer.WrittenSpan.ToArray();
    }

    private static void AppendLine(PooledBuffer output, ReadOnlySpan<byte> name, string value)
    {
        output.Append(name);
        output.Advance(Encoding.UTF8.GetBytes(value, output.GetSpan(Encoding.UTF8.GetMaxByteCount(value.Length))));
        output.Append("\n"u8);
    }

    private static void Set(HttpRequestHeaders headers, string name, string value)
    {
        headers.Remove(name);
        headers.TryAddWithoutValidation(name, value);
    }
}
