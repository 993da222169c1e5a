using System.Buffers;
using System.Security.Cryptography;
using Amazon.S3;
using Amazon.S3.Model;
using Worker.Aws;

namespace Worker.Sinks.S3;

/// <summary>One request each, ended by its own time whatever the SDK does; what it ended in is a value. Threads: any number at once.</summary>
internal sealed class S3Requests : IDisposable
{
    public const string Put = "PutObject";
    public const string Head = "HeadObject";
    public const string Get = "GetObject";
    public const string List = "ListObjectsV2";

    private const int CompareChunk = 64 * 1024;

    private readonly AmazonS3Client _client;
    private readonly S3Credentials _credentials;
    private readonly TimeProvider _time;
    private readonly string _bucket;
    private readonly string? _ifNoneMatch;
    private readonly bool _chunked;
    private readonly string _contentType;
    private readonly ServerSideEncryptionMethod? _encryption;
    private readonly string? _kmsKeyId;
    private readonly S3StorageClass? _storageClass;

    public S3Requests(S3SinkOptions options, AmazonS3Client client, S3Credentials credentials, TimeProvider time)
    {
        _client = client;
        _credentials = credentials;
        _time = time;
        _bucket = options.Bucket!;
        _ifNoneMatch = options.Conditional ? "*" : null;
        _chunked = options.ChunkedEncoding;
        _contentType = options.ContentType;
        _encryption = options.ServerSideEncryption is { } method ? new ServerSideEncryptionMethod(method) : null;
        _kmsKeyId = options.KmsKeyId;
        _storageClass = options.StorageClass is { } storageClass ? new S3StorageClass(storageClass) : null;
    }

    /// <summary>Puts the object, on the condition that there is none where that is configured.</summary>
    public async ValueTask<S3Fault> PutAsync(string key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        BorrowedStream stream = new(body);
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            await _credentials.PrepareAsync(attempt.Token);
            PutObjectRequest request = new()
            {
                BucketName = _bucket,
                Key = key,
                InputStream = stream,
                AutoCloseStream = false,
                AutoResetStreamPosition = false,
                UseChunkEncoding = _chunked,
                IfNoneMatch = _ifNoneMatch,
                ServerSideEncryptionMethod = _encryption,
                ServerSideEncryptionKeyManagementServiceKeyId = _kmsKeyId,
                StorageClass = _storageClass,
            };
            request.Headers.ContentType = _contentType;
            PutObjectResponse response = await attempt.LimitAsync(_client.PutObjectAsync(request, attempt.Token));

            // Every S3 names what it stored. A success that does not is some proxy's.
            return string.IsNullOrEmpty(response.ETag)
                ? new S3Fault(S3FaultKind.Transient, S3Faults.NotS3Code, (int)response.HttpStatusCode, MayHaveCommitted: true)
                : default;
        }
        catch (Exception exception)
        {
            return attempt.Classify(exception);
        }
        finally
        {
            stream.Detach();
        }
    }

    /// <summary>Compares the object with <paramref name="body"/>: by length and MD5 first, byte by byte where the ETag is not the MD5.</summary>
    /// <returns>The fault, and where there is none whether the bytes are the same.</returns>
    public async ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        string key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        string operation = Head;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            await _credentials.PrepareAsync(attempt.Token);
            GetObjectMetadataResponse head = await attempt.LimitAsync(
                _client.GetObjectMetadataAsync(new GetObjectMetadataRequest { BucketName = _bucket, Key = key }, attempt.Token));
            if (head.ContentLength != body.Length)
            {
                return (default, operation, false);
            }

            // An ETag that is not the MD5 (KMS or customer keys, parts, directory buckets) never equals it by chance; one that
            // differs proves nothing by itself, and a collision costs a message its place: then the bytes decide.
            if (IsMd5Of(head.ETag, body.Span))
            {
                return (default, operation, true);
            }

            operation = Get;
            using GetObjectResponse get = await attempt.LimitAsync(
                _client.GetObjectAsync(new GetObjectRequest { BucketName = _bucket, Key = key }, attempt.Token));
            return (default, operation, await HasBytesAsync(get.ResponseStream, body, attempt.Token));
        }
        catch (Exception exception)
        {
            S3Fault fault = attempt.Classify(exception);

            // A HEAD has no body, so its 404 does not say whether the object or the bucket is missing; a PUT will.
            return (fault.Status == 404 && fault.Code != "NoSuchBucket" ? fault with { Kind = S3FaultKind.Missing } : fault, operation, false);
        }
    }

    /// <summary>Asks for one key of the bucket: the cheapest request whose refusal says why.</summary>
    /// <exception cref="AwsServiceException">There are no credentials; says how to give them.</exception>
    public async ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            await _credentials.PrepareAsync(attempt.Token);
            await attempt.LimitAsync(_client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = _bucket, MaxKeys = 1 }, attempt.Token));
            return default;
        }
        catch (Exception exception) when (exception is not AwsServiceException)
        {
            return attempt.Classify(exception);
        }
    }

    /// <summary>Fetches new credentials; false when there are no others.</summary>
    public async ValueTask<bool> RefreshCredentialsAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _credentials.RefreshAsync(cancellationToken);
        }
        catch (AwsServiceException)
        {
            return false;
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _credentials.Dispose();
    }

    private static bool IsMd5Of(string? etag, ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<char> text = etag.AsSpan().Trim('"');
        Span<byte> given = stackalloc byte[MD5.HashSizeInBytes];
        if (text.Length != 2 * MD5.HashSizeInBytes || Convert.FromHexString(text, given, out _, out _) != OperationStatus.Done)
        {
            return false;
        }

        Span<byte> actual = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(body, actual);
        return given.SequenceEqual(actual);
    }

    private static async ValueTask<bool> HasBytesAsync(Stream stream, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        byte[] chunk = ArrayPool<byte>.Shared.Rent(CompareChunk);
        try
        {
            while (true)
            {
                int read = await stream.ReadAsync(chunk, cancellationToken);
                if (read == 0)
                {
                    return body.IsEmpty;
                }

                if (read > body.Length || !body.Span[..read].SequenceEqual(chunk.AsSpan(0, read)))
                {
                    return false;
                }

                body = body[read..];
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(chunk);
        }
    }
}
