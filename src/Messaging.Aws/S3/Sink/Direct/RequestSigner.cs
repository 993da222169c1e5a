using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Signing;
using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Completes and signs the requests of one bucket. A PUT allocates only the strings that HttpClient requires: its address, the body's
/// hash and the Authorization header. Threads: any.
/// </summary>
internal sealed class RequestSigner
{
    private const string ContentType = "Content-Type";
    private const string Authorization = "Authorization";
    private const string Service = "s3";

    private readonly BucketAddress _address;
    private readonly SigV4Signer _signer;
    private readonly RegionEndpoint _region;
    private readonly AwsClock _clock;
    private readonly bool _checksum;
    private readonly string _contentType;

    // The headers from the settings, the same for every PUT.
    private readonly SigV4Header[] _constant;
    private readonly PutCanonicalRequest _canonical;

    public RequestSigner(S3SinkOptions options, string contentType, BucketAddress address, string region, AwsClock clock)
    {
        _address = address;
        _signer = new SigV4Signer(Service, region, clock);
        _region = RegionEndpoint.GetBySystemName(region);
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

    /// <summary>Creates a reusable PUT with the headers that are the same for all objects.</summary>
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

    /// <summary>Sets a PUT's address, hash and signature, which replace those of the previous request.</summary>
    /// <returns>The signature's time, by the corrected clock.</returns>
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

        // SHA-256, because it is already computed for the signature.
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
    /// <returns>The signature's time, by the corrected clock.</returns>
    public DateTimeOffset Sign(HttpRequestMessage request, SigningCredentials credentials)
    {
        // These requests are rare, so the SDK's signer may allocate some KB.
        DateTimeOffset at = _clock.UtcNow;
        AWSSigningResult signed = AWSSigV4Signer.Sign(
            new AWSSigningRequest { HttpMethod = request.Method, RequestUri = request.RequestUri, Content = [] },
            new AWSSigV4Parameters
            {
                Credentials = credentials.SessionToken is { } token
                    ? new SessionAWSCredentials(credentials.AccessKeyId, credentials.SecretAccessKey, token)
                    : new BasicAWSCredentials(credentials.AccessKeyId, credentials.SecretAccessKey),
                Region = _region,
                Service = Service,
                SignedAt = at.UtcDateTime,
            });
        foreach ((string name, string value) in signed.Headers)
        {
            Set(request.Headers, name, value);
        }

        return at;
    }

    private static void Set(HttpRequestHeaders headers, string name, string value)
    {
        headers.Remove(name);
        headers.TryAddWithoutValidation(name, value);
    }
}
