using System.Buffers;
using System.Globalization;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Buffers;

namespace Messaging.Aws;

/// <summary>
/// Signs requests with AWS Signature Version 4 in the Authorization header, for one service in one region. Threads: any.
/// A signature allocates its header's text (about 250 characters), for S3 the payload hash's text too, and nothing else.
/// Source: "AWS Signature Version 4 for API requests", IAM user guide; checked against AWS's test suite and AWSSDK.Core.
/// </summary>
internal sealed class SigV4Signer
{
    /// <summary>The payload hash of a body that is not signed; S3 over https only.</summary>
    public const string UnsignedPayload = "UNSIGNED-PAYLOAD";

    private const int HashBytes = SHA256.HashSizeInBytes;

    // Never given back: of these only the two of each thread exist.
    private static readonly BufferPool ScratchBuffers = new();

    // Signing never awaits, so a thread's own buffers do: renting three for each signature cost more than writing them, since
    // the pool's counters move from core to core.
    [ThreadStatic]
    private static PooledBuffer? _scratch;

    [ThreadStatic]
    private static PooledBuffer? _authorization;

    private readonly AwsClock _clock;
    private readonly BufferPool _buffers;
    private readonly byte[] _region;
    private readonly byte[] _service;
    private readonly bool _isS3;

    // Both are replaced as a whole by whichever thread finds them out of date; readers see one or the other.
    private DerivedKey? _key;
    private Stamp? _stamp;

    /// <param name="service">The signing name, such as <c>sqs</c> or <c>s3</c>.</param>
    /// <param name="region">The signing region.</param>
    /// <param name="clock">Gives the time to sign with.</param>
    /// <param name="buffers">Lends scratch space for queries; everything is back when a call returns.</param>
    public SigV4Signer(string service, string region, AwsClock clock, BufferPool buffers)
    {
        _service = Encoding.UTF8.GetBytes(service);
        _region = Encoding.UTF8.GetBytes(region);
        _isS3 = string.Equals(service, "s3", StringComparison.Ordinal);
        _clock = clock;
        _buffers = buffers;
    }

    /// <summary>Signs a request that carries these bytes (empty for none); sets the headers described at the other overload.</summary>
    public DateTimeOffset Sign(HttpRequestMessage request, ReadOnlySpan<byte> payload, SigningCredentials credentials)
    {
        Span<byte> hash = stackalloc byte[HashBytes];
        Span<byte> hex = stackalloc byte[HashBytes * 2];
        SHA256.HashData(payload, hash);
        Convert.TryToHexStringLower(hash, hex, out _);
        return Sign(request, hex, _isS3 ? Encoding.ASCII.GetString(hex) : string.Empty, credentials);
    }

    /// <summary>
    /// Signs a request whose payload's hash is known: sets <c>X-Amz-Date</c>, <c>Authorization</c>, for temporary credentials
    /// <c>X-Amz-Security-Token</c> and for S3 <c>X-Amz-Content-Sha256</c>. Every header present is signed except those that
    /// proxies and the HTTP client may change.
    /// </summary>
    /// <param name="request">With its absolute address; path and query are taken as they stand.</param>
    /// <param name="payloadHash">64 lower-case hex digits, or <see cref="UnsignedPayload"/>.</param>
    /// <param name="credentials">The keys to sign with.</param>
    /// <returns>The time it was signed at, by the corrected clock.</returns>
    public DateTimeOffset Sign(HttpRequestMessage request, string payloadHash, SigningCredentials credentials)
    {
        Span<byte> hash = stackalloc byte[payloadHash.Length];
        Encoding.ASCII.GetBytes(payloadHash, hash);
        return Sign(request, hash, payloadHash, credentials);
    }

    /// <summary>The value of <c>x-amz-date</c> for a time; the same string within a second.</summary>
    public string DateTimeOf(DateTimeOffset at) => StampOf(at).DateTime;

    /// <summary>A buffer of the calling thread for a text that is made and used up without an await; cleared.</summary>
    public static PooledBuffer Scratch() => Cleared(ref _scratch);

    /// <summary>The value of the Authorization header for a described request.</summary>
    public string Authorize(scoped SigV4Request request, SigningCredentials credentials, DateTimeOffset at)
    {
        PooledBuffer authorization = Cleared(ref _authorization);
        AppendAuthorization(authorization, request, credentials, at);
        return Encoding.ASCII.GetString(authorization.WrittenSpan);
    }

    /// <summary>The value of the Authorization header for a canonical request that is written already.</summary>
    /// <param name="canonical">The canonical request; may lie in <see cref="Scratch"/>.</param>
    /// <param name="signedNames">The names of its headers, separated by semicolons.</param>
    /// <param name="credentials">The keys to sign with.</param>
    /// <param name="at">The time in the request's <c>x-amz-date</c>.</param>
    public string Authorize(ReadOnlySpan<byte> canonical, ReadOnlySpan<byte> signedNames, SigningCredentials credentials, DateTimeOffset at)
    {
        Span<byte> signature = stackalloc byte[HashBytes];
        SHA256.HashData(canonical, signature);
        Stamp stamp = StampOf(at);
        SignHash(stamp, credentials, signature);
        PooledBuffer authorization = Cleared(ref _authorization);
        AppendCredential(authorization, credentials, stamp);
        authorization.Append(signedNames);
        AppendSignature(authorization, signature);
        return Encoding.ASCII.GetString(authorization.WrittenSpan);
    }

    /// <summary>Appends the value of the Authorization header (ASCII) for a described request.</summary>
    /// <param name="output">Gets the value appended.</param>
    /// <param name="request">What is signed.</param>
    /// <param name="credentials">The keys to sign with.</param>
    /// <param name="at">The time in the request's <c>x-amz-date</c>.</param>
    public void AppendAuthorization(PooledBuffer output, scoped SigV4Request request, SigningCredentials credentials, DateTimeOffset at)
    {
        request.Headers.Sort(SigV4Header.Compare);
        Span<byte> signature = stackalloc byte[HashBytes];
        Stamp stamp = StampOf(at);
        HashCanonicalRequest(request, signature);
        SignHash(stamp, credentials, signature);

        AppendCredential(output, credentials, stamp);
        SigV4Canonical.AppendHeaderNames(output, request.Headers);
        AppendSignature(output, signature);
    }

    /// <summary>The Host header as the HTTP client writes it: the port only when it is not the scheme's own, brackets around IPv6.</summary>
    public static string HostOf(Uri uri) => uri.HostNameType == UriHostNameType.IPv6
        ? uri.IsDefaultPort ? $"[{uri.IdnHost}]" : $"[{uri.IdnHost}]:{uri.Port}"
        : uri.IsDefaultPort ? uri.IdnHost : $"{uri.IdnHost}:{uri.Port}";

    private DateTimeOffset Sign(HttpRequestMessage request, ReadOnlySpan<byte> payloadHash, string payloadHashText, SigningCredentials credentials)
    {
        Uri uri = request.RequestUri ?? throw new ArgumentException("The request has no address.", nameof(request));
        DateTimeOffset at = _clock.UtcNow;
        HttpRequestHeaders headers = request.Headers;
        Set(headers, "X-Amz-Date", StampOf(at).DateTime);
        Set(headers, "X-Amz-Security-Token", credentials.SessionToken);
        if (_isS3)
        {
            Set(headers, "X-Amz-Content-Sha256", payloadHashText);
        }

        int most = headers.NonValidated.Count + (request.Content?.Headers.NonValidated.Count ?? 0) + 1;
        SigV4Header[] signed = ArrayPool<SigV4Header>.Shared.Rent(most);
        try
        {
            int count = 0;
            signed[count++] = new SigV4Header("host", headers.Host ?? HostOf(uri));
            count = Collect(headers, signed, count);
            count = request.Content is { } content ? Collect(content.Headers, signed, count) : count;
            SigV4Request description = new()
            {
                Method = request.Method.Method,
                Path = uri.AbsolutePath,
                Query = uri.Query.AsSpan().TrimStart('?'),
                Headers = signed.AsSpan(0, count),
                PayloadHash = payloadHash,
            };
            Set(headers, "Authorization", Authorize(description, credentials, at));
        }
        finally
        {
            ArrayPool<SigV4Header>.Shared.Return(signed, clearArray: true);
        }

        return at;
    }

    private void HashCanonicalRequest(scoped SigV4Request request, Span<byte> hash)
    {
        PooledBuffer canonical = Scratch();
        AppendAscii(canonical, request.Method);
        canonical.Append("\n"u8);
        SigV4Canonical.AppendPath(canonical, request.Path, _isS3);
        canonical.Append("\n"u8);
        SigV4Canonical.AppendQuery(canonical, request.Query, _buffers);
        canonical.Append("\n"u8);
        SigV4Canonical.AppendHeaders(canonical, request.Headers);
        canonical.Append("\n"u8);
        SigV4Canonical.AppendHeaderNames(canonical, request.Headers);
        canonical.Append("\n"u8);
        canonical.Append(request.PayloadHash);
        SHA256.HashData(canonical.WrittenSpan, hash);
    }

    /// <summary>Turns the canonical request's hash into the signature, in place.</summary>
    private void SignHash(Stamp stamp, SigningCredentials credentials, Span<byte> hash)
    {
        PooledBuffer toSign = Scratch();
        toSign.Append("AWS4-HMAC-SHA256\n"u8);
        AppendAscii(toSign, stamp.DateTime);
        toSign.Append("\n"u8);
        AppendScope(toSign, stamp);
        toSign.Append("\n"u8);
        AppendHex(toSign, hash);
        KeyOf(stamp, credentials).Sign(toSign.WrittenSpan, hash);
    }

    private void AppendCredential(PooledBuffer output, SigningCredentials credentials, Stamp stamp)
    {
        output.Append("AWS4-HMAC-SHA256 Credential="u8);
        AppendAscii(output, credentials.AccessKeyId);
        output.Append("/"u8);
        AppendScope(output, stamp);
        output.Append(", SignedHeaders="u8);
    }

    private static void AppendSignature(PooledBuffer output, ReadOnlySpan<byte> signature)
    {
        output.Append(", Signature="u8);
        AppendHex(output, signature);
    }

    private void AppendScope(PooledBuffer output, Stamp stamp)
    {
        AppendAscii(output, stamp.Date);
        output.Append("/"u8);
        output.Append(_region);
        output.Append("/"u8);
        output.Append(_service);
        output.Append("/aws4_request"u8);
    }

    private DerivedKey KeyOf(Stamp stamp, SigningCredentials credentials)
    {
        DerivedKey? cached = Volatile.Read(ref _key);
        if (cached is not null && string.Equals(cached.Date, stamp.Date, StringComparison.Ordinal)
            && string.Equals(cached.Secret, credentials.SecretAccessKey, StringComparison.Ordinal))
        {
            return cached;
        }

        byte[] key = HMACSHA256.HashData(Encoding.UTF8.GetBytes("AWS4" + credentials.SecretAccessKey), Encoding.ASCII.GetBytes(stamp.Date));
        key = HMACSHA256.HashData(key, _region);
        key = HMACSHA256.HashData(key, _service);
        key = HMACSHA256.HashData(key, "aws4_request"u8);
        DerivedKey derived = new(stamp.Date, credentials.SecretAccessKey, key);
        Volatile.Write(ref _key, derived);
        return derived;
    }

    private Stamp StampOf(DateTimeOffset at)
    {
        long second = at.ToUnixTimeSeconds();
        Stamp? stamp = Volatile.Read(ref _stamp);
        if (stamp is null || stamp.Second != second)
        {
            string text = at.UtcDateTime.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);
            stamp = new Stamp(second, text, text[..8]);
            Volatile.Write(ref _stamp, stamp);
        }

        return stamp;
    }

    private static PooledBuffer Cleared(ref PooledBuffer? buffer)
    {
        buffer ??= ScratchBuffers.Rent(1024);
        buffer.Truncate(0);
        return buffer;
    }

    private static int Collect(HttpHeaders headers, SigV4Header[] signed, int count)
    {
        foreach (KeyValuePair<string, HeaderStringValues> header in headers.NonValidated)
        {
            if (IsSigned(header.Key))
            {
                signed[count++] = new SigV4Header(header.Key, header.Value.ToString());
            }
        }

        return count;
    }

    // Host is added by hand; the rest is set or changed after signing, by the client, by tracing or by a proxy.
    private static bool IsSigned(string name) => !(name.Equals("host", StringComparison.OrdinalIgnoreCase)
        || name.Equals("authorization", StringComparison.OrdinalIgnoreCase)
        || name.Equals("content-length", StringComparison.OrdinalIgnoreCase)
        || name.Equals("connection", StringComparison.OrdinalIgnoreCase)
        || name.Equals("expect", StringComparison.OrdinalIgnoreCase)
        || name.Equals("transfer-encoding", StringComparison.OrdinalIgnoreCase)
        || name.Equals("user-agent", StringComparison.OrdinalIgnoreCase)
        || name.Equals("traceparent", StringComparison.OrdinalIgnoreCase)
        || name.Equals("tracestate", StringComparison.OrdinalIgnoreCase)
        || name.Equals("x-amzn-trace-id", StringComparison.OrdinalIgnoreCase));

    private static void Set(HttpRequestHeaders headers, string name, string? value)
    {
        headers.Remove(name);
        if (value is not null)
        {
            headers.TryAddWithoutValidation(name, value);
        }
    }

    private static void AppendAscii(PooledBuffer output, ReadOnlySpan<char> text)
    {
        Span<byte> target = output.GetSpan(text.Length);
        output.Advance(Encoding.ASCII.GetBytes(text, target));
    }

    private static void AppendHex(PooledBuffer output, ReadOnlySpan<byte> bytes)
    {
        Convert.TryToHexStringLower(bytes, output.GetSpan(bytes.Length * 2), out int written);
        output.Advance(written);
    }

    private sealed record DerivedKey(string Date, string Secret, byte[] Key)
    {
        // Prepared with the key once: about 600 ns a signature instead of 1,300 (140 bytes, OpenSSL 3 on a shared 2-core machine).
        // A few are enough, since none is kept across an await.
        private readonly BoundedPool<IncrementalHash> _prepared = new(16);

        public void Sign(ReadOnlySpan<byte> text, Span<byte> signature)
        {
            IncrementalHash hash = _prepared.TryTake(out IncrementalHash? pooled) ? pooled : IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, Key);
            hash.AppendData(text);
            hash.GetHashAndReset(signature);
            if (!_prepared.Return(hash))
            {
                hash.Dispose();
            }
        }

        public override string ToString() => "derived signing key (hidden)";
    }

    private sealed record Stamp(long Second, string DateTime, string Date);
}
