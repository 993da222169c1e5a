using System.Text;
using Amazon.S3;
using Amazon.S3.Model;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Objects;

namespace Quayside.Messaging.Aws.S3.Sink.Sdk;

/// <summary>Requests with AWSSDK.S3, each ended by its own time limit. A PUT allocates about 60 KB (234 KB with the SDK's defaults).</summary>
internal sealed class SdkRequests : IS3Requests
{
    private readonly AmazonS3Client _client;
    private readonly SdkCredentials _credentials;
    private readonly TimeProvider _time;
    private readonly string _bucket;
    private readonly S3SinkOptions _options;
    private readonly string _contentType;
    private readonly ApiCalls _calls;

    private SdkRequests(S3SinkOptions options, AmazonS3Client client, SdkCredentials credentials, SinkServices services)
    {
        _client = client;
        _credentials = credentials;
        _time = services.Time;
        _calls = services.Calls ?? new ApiCalls();
        _bucket = options.Bucket!;
        _options = options;
        _contentType = options.ContentType ?? services.ContentType;
    }

    public static SdkRequests Create(S3SinkOptions options, S3Endpoint endpoint, AwsCredentialSource source, SinkServices services)
    {
        SdkCredentials credentials = new(source);
        return new SdkRequests(
            options,
            SdkConnection.CreateClient(
                endpoint, credentials, options.ConnectTimeout, options.TotalTimeout,
                options.RequestChecksumCalculation), credentials, services);
    }

    public async ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        BorrowedStream stream = new(body);
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            PutObjectRequest request = CreatePut(key, stream, properties);
            PutObjectResponse response = await _credentials.CallAsync(attempt, _calls, S3Calls.Put, token =>
            {
                stream.Position = 0;
                return _client.PutObjectAsync(request, token);
            });

            // S3 always sends an ETag, and never a body. Another success is probably a proxy's.
            return string.IsNullOrEmpty(response.ETag) || response.ContentLength > 0
                ? S3Fault.NotS3((int)response.HttpStatusCode)
                : MessageSpans.IsListening ? S3Fault.Success((int)response.HttpStatusCode, response.ResponseMetadata?.RequestId)
                : S3Fault.None;
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

    public async ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        string name = Encoding.UTF8.GetString(key.Span);
        string operation = S3Operations.Head;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            GetObjectMetadataResponse head = await _credentials.CallAsync(attempt, _calls, S3Calls.Head,
                token => _client.GetObjectMetadataAsync(
                    new GetObjectMetadataRequest { BucketName = _bucket, Key = name, ExpectedBucketOwner = _options.ExpectedBucketOwner }, token));
            if (string.IsNullOrEmpty(head.ETag))
            {
                return (S3Fault.NotS3((int)head.HttpStatusCode), operation, false);
            }

            if (head.ContentLength != body.Length)
            {
                return (S3Fault.None, operation, false);
            }

            if (ObjectComparison.IsMd5Of(head.ETag, body.Span))
            {
                return (S3Fault.None, operation, true);
            }

            operation = S3Operations.Get;
            using GetObjectResponse get = await _credentials.CallAsync(attempt, _calls, S3Calls.Get,
                token => _client.GetObjectAsync(
                    new GetObjectRequest { BucketName = _bucket, Key = name, ExpectedBucketOwner = _options.ExpectedBucketOwner }, token));
            if (string.IsNullOrEmpty(get.ETag) || (get.ContentLength > 0 && get.ContentLength != body.Length))
            {
                // HEAD reported the body's length: an answer of another one, such as a proxy's page, must not count as a collision.
                return (S3Fault.NotS3((int)get.HttpStatusCode), operation, false);
            }

            return await ObjectComparison.HasBytesAsync(get.ResponseStream, body, attempt.Token) is { } same
                ? (S3Fault.None, operation, same)
                : (S3Fault.NotS3((int)get.HttpStatusCode), operation, false);
        }
        catch (Exception exception)
        {
            return (S3Fault.OfObject(attempt.Classify(exception)), operation, false);
        }
    }

    public async ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            ListObjectsV2Response response = await _credentials.CallAsync(
                attempt, _calls, S3Calls.List,
                token => _client.ListObjectsV2Async(
                    new ListObjectsV2Request { BucketName = _bucket, MaxKeys = 1, ExpectedBucketOwner = _options.ExpectedBucketOwner }, token));

            // The SDK reads any text as an empty listing.
            return response is { Name: null, MaxKeys: null or 0, KeyCount: null or 0 } ? S3Fault.NotS3((int)response.HttpStatusCode) : S3Fault.None;
        }
        catch (Exception exception) when (exception is not AwsServiceException)
        {
            return attempt.Classify(exception);
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _credentials.Dispose();
    }

    private PutObjectRequest CreatePut(ReadOnlyMemory<byte> key, BorrowedStream stream, ObjectProperties? properties)
    {
        PutObjectRequest request = new()
        {
            BucketName = _bucket,
            Key = Encoding.UTF8.GetString(key.Span),
            InputStream = stream,
            AutoCloseStream = false,
            AutoResetStreamPosition = false,

            // With chunks a PUT allocates four times as much, and at these sizes they gain nothing.
            UseChunkEncoding = false,
            IfNoneMatch = _options.Conditional ? "*" : null,
            ServerSideEncryptionMethod = _options.ServerSideEncryption,
            ServerSideEncryptionKeyManagementServiceKeyId = _options.KmsKeyId,
            StorageClass = _options.StorageClass,
            CannedACL = _options.Acl,
            ExpectedBucketOwner = _options.ExpectedBucketOwner,
        };
        request.Headers.ContentType = _contentType;
        request.Headers.ContentEncoding = _options.ContentEncoding;
        foreach ((string name, string value) in properties?.Metadata ?? (IEnumerable<KeyValuePair<string, string>>)_options.Metadata)
        {
            request.Metadata[S3PropertyRules.NameOf(name)] = S3PropertyRules.EncodeMetadata(value);
        }

        if ((properties?.Tags.Count ?? _options.Tags.Count) > 0)
        {
            request.TagSet =
                [.. (properties?.Tags ?? (IEnumerable<KeyValuePair<string, string>>)_options.Tags).Select(tag => new Tag { Key = tag.Key, Value = tag.Value })];
        }

        return request;
    }
}
