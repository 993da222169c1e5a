using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Completes and signs the requests of one bucket. A PUT allocates only the strings that HttpClient requires: its address, the body's
/// hash and the Authorization header. A PUT with headers of its own (<see cref="CreateOwnPut"/>) is signed like any request. Threads: any.
/// </summary>
internal sealed class PutSigner : SigV4Signer
{
    public const string Date = "x-amz-date";
    public const string Token = "x-amz-security-token";

    private const string Checksum = "x-amz-checksum-sha256";
    private const string ContentHash = "x-amz-content-sha256";
    private const string ContentType = "Content-Type";
    private const string Authorization = "Authorization";

    // A header of the body; the rest are headers of the request.
    private const string ContentEncoding = "Content-Encoding";

    private readonly BucketAddress _address;
    private readonly bool _checksum;
    private readonly string _contentType;

    // The headers from the settings, the same for every PUT.
    private readonly SigV4Header[] _constant;

    // The configured metadata and tags.
    private readonly SigV4Header[] _properties;

    // The headers that every request to the bucket has.
    private readonly SigV4Header[] _access;

    // The parts of a PUT's canonical request that never change.
    private readonly byte[] _before;
    private readonly byte[] _between;
    private readonly byte[] _after;
    private readonly byte[] _names;
    private readonly byte[] _namesWithToken;

    public PutSigner(S3SinkOptions options, string contentType, BucketAddress address, string region, AwsClock clock)
        : base("s3", region, clock)
    {
        _address = address;
        _checksum = options.RequestChecksumCalculation == RequestChecksumCalculation.WHEN_SUPPORTED;
        _contentType = contentType;
        _access = Access(options);
        _constant = [.. Constant(options), .. _access];
        _properties = Properties(options.Metadata, options.Tags);
        SigV4Header[] sorted = [.. _constant, .. _properties, new SigV4Header(ContentType, _contentType), new SigV4Header("host", address.Host)];
        Array.Sort(sorted, SigV4Header.Compare);

        // The headers that change (checksum, hash, date, token) have fixed places in the order of names.
        _before = Lines(sorted, after: string.Empty, before: Checksum);
        _between = Lines(sorted, Date, Token);
        _after = Lines(sorted, Token, before: null);
        string[] changing = _checksum ? [Checksum, ContentHash, Date] : [ContentHash, Date];
        _names = Names([.. sorted, .. changing.Select(name => new SigV4Header(name, string.Empty))]);
        _namesWithToken = Names([.. sorted, .. changing.Append(Token).Select(name => new SigV4Header(name, string.Empty))]);
    }

    /// <summary>Creates a reusable PUT with the headers that are the same for all objects.</summary>
    public PutRequest CreatePut(TimeProvider time)
    {
        PutRequest request = new(time);
        Add(request, _constant);
        Add(request, _properties);
        return request;
    }

    /// <summary>Creates a PUT for one object, which has headers of its own and is not reused.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="properties">All metadata and tags of the object, as S3 takes them.</param>
    public PutRequest CreateOwnPut(TimeProvider time, ObjectProperties properties)
    {
        PutRequest request = new(time) { IsOwn = true };
        Add(request, _constant);
        Add(request, Properties(properties.Metadata, properties.Tags));
        return request;
    }

    public override DateTimeOffset Sign(HttpRequestMessage request, SigningCredentials credentials)
    {
        if (request is PutRequest { IsOwn: false } put)
        {
            return SignPut(put, credentials);
        }

        if (request is PutRequest own)
        {
            return SignOwnPut(own, credentials);
        }

        Set(request.Headers, ContentHash, AwsRequestSigner.EmptyHash);
        foreach (SigV4Header header in _access)
        {
            Set(request.Headers, header.Name, header.Value);
        }

        return base.Sign(request, credentials);
    }

    private DateTimeOffset SignOwnPut(PutRequest request, SigningCredentials credentials)
    {
        request.RequestUri = _address.Of(request.Key.Span);
        byte[] hash = SHA256.HashData(BorrowedContent.Of(request).Span);
        Set(request.Headers, ContentHash, Convert.ToHexStringLower(hash));
        if (_checksum)
        {
            Set(request.Headers, Checksum, Convert.ToBase64String(hash));
        }

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
        output.Append(_between);
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

    private static SigV4Header[] Constant(S3SinkOptions options) => Given(
    [
        ("If-None-Match", options.Conditional ? "*" : null),
        (ContentEncoding, options.ContentEncoding),
        ("x-amz-acl", options.Acl),
        ("x-amz-server-side-encryption", options.ServerSideEncryption),
        ("x-amz-server-side-encryption-aws-kms-key-id", options.KmsKeyId),
        ("x-amz-storage-class", options.StorageClass),
    ]);

    private static SigV4Header[] Access(S3SinkOptions options) => Given([("x-amz-expected-bucket-owner", options.ExpectedBucketOwner)]);

    private static SigV4Header[] Given(ReadOnlySpan<(string Name, string? Value)> headers)
    {
        List<SigV4Header> given = [];
        foreach ((string name, string? value) in headers)
        {
            if (value is not null)
            {
                given.Add(new SigV4Header(name, value));
            }
        }

        return [.. given];
    }

    private static SigV4Header[] Properties(
        IReadOnlyCollection<KeyValuePair<string, string>> metadata, IReadOnlyCollection<KeyValuePair<string, string>> tags) =>
    [
        .. metadata.Select(
            entry => new SigV4Header(S3PropertyRules.MetadataPrefix + S3PropertyRules.NameOf(entry.Key), S3PropertyRules.EncodeMetadata(entry.Value))),
        .. tags.Count == 0 ? [] : (ReadOnlySpan<SigV4Header>)[new SigV4Header(S3PropertyRules.TaggingHeader, S3PropertyRules.WriteTags(tags))],
    ];

    private void Add(PutRequest request, ReadOnlySpan<SigV4Header> headers)
    {
        HttpContentHeaders content = request.Content!.Headers;
        if (!content.Contains(ContentType))
        {
            content.TryAddWithoutValidation(ContentType, _contentType);
        }

        foreach (SigV4Header header in headers)
        {
            HttpHeaders target = header.Name == ContentEncoding ? content : request.Headers;
            target.TryAddWithoutValidation(header.Name, header.Value);
        }
    }

    private static byte[] Lines(SigV4Header[] sorted, string after, string? before)
    {
        using PooledBuffer buffer = BufferPool.Shared.Rent();
        SigV4Header.AppendAll(buffer, [.. sorted.Where(header => Is(header.Name.ToLowerInvariant()))]);
        return buffer.WrittenSpan.ToArray();

        bool Is(string name) => string.CompareOrdinal(name, after) > 0 && (before is null || string.CompareOrdinal(name, before) < 0);
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
