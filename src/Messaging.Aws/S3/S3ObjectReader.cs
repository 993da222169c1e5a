using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.S3;

/// <summary>
/// Reads objects of any bucket as streams, with AWSSDK.S3. Retries only after clock skew and expired credentials, once each; every other
/// failure is a value. Threads: any number of concurrent requests. Dispose it after its last object.
/// </summary>
internal sealed class S3ObjectReader : IDisposable
{
    // S3's version id of every object stored while the bucket's versioning was off or suspended: a replacement has the same one.
    private const string NullVersion = "null";

    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(2);

    private readonly Lazy<(AmazonS3Client Client, SdkCredentials Credentials)> _connection;
    private readonly TimeProvider _time;
    private readonly ApiCalls _calls;

    private S3ObjectReader(Func<(AmazonS3Client Client, SdkCredentials Credentials)> connect, TimeProvider time, ApiCalls calls)
    {
        _connection = new Lazy<(AmazonS3Client Client, SdkCredentials Credentials)>(connect);
        _time = time;
        _calls = calls;
    }

    /// <summary>
    /// Creates a reader with its own client, which the first request opens. That request resolves region and endpoint and throws a
    /// <see cref="StartupException"/> when they cannot be found, so a check at start should be the first request.
    /// </summary>
    /// <param name="aws">Region, endpoint and credentials.</param>
    /// <param name="forcePathStyle">Whether the bucket is in the path; null for the default of the store.</param>
    /// <param name="guard">The time limit of every request.</param>
    /// <param name="time">The clock of the attempts.</param>
    /// <param name="calls">Counts the requests.</param>
    public static S3ObjectReader Create(AwsOptions aws, bool? forcePathStyle, TimeSpan guard, TimeProvider time, ApiCalls calls) =>
        new(() => Connect(aws, forcePathStyle, guard, time), time, calls);

    /// <summary>Requests an object and waits for the start of the answer.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="key">The key.</param>
    /// <param name="versionId">The version; null for the current one. The text <c>null</c> is requested as given, but does not identify one object.</param>
    /// <param name="eTag">The ETag the object must have, without quotation marks; null for any. Another ETag is the fault
    /// <see cref="AwsErrorKind.Exists"/>.</param>
    /// <param name="limit">Time limit until the answer starts; only the guard limits reading it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The object, or the fault. The caller disposes it.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask<S3ObjectContent> OpenAsync(
        string bucket, string key, string? versionId, string? eTag, TimeSpan limit, CancellationToken cancellationToken)
    {
        (AmazonS3Client client, SdkCredentials credentials) = _connection.Value;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        GetObjectRequest request = new() { BucketName = bucket, Key = key, VersionId = versionId, EtagToMatch = eTag is null ? null : $"\"{eTag}\"" };
        try
        {
            return Opened(
                await credentials.CallAsync(attempt, _calls, S3Calls.Get, token => client.GetObjectAsync(request, token)),
                versionId is not (null or NullVersion) ? versionId : eTag);
        }
        catch (Exception exception)
        {
            return new S3ObjectContent(attempt.Classify(exception));
        }
    }

    /// <summary>Lists one key of a bucket, as a check at start: shows a missing bucket and refused credentials.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="prefix">Prefix of the key, for permissions that are limited to one; null for any.</param>
    /// <param name="limit">Time for the request.</param>
    /// <param name="cancellationToken">Ends the request.</param>
    /// <returns>The fault; of kind None when the bucket can be listed.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask<S3Fault> CheckAsync(string bucket, string? prefix, TimeSpan limit, CancellationToken cancellationToken)
    {
        (AmazonS3Client client, SdkCredentials credentials) = _connection.Value;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            await credentials.CallAsync(
                attempt, _calls, S3Calls.List,
                token => client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = bucket, Prefix = prefix, MaxKeys = 1 }, token));
            return S3Fault.None;
        }
        catch (Exception exception)
        {
            return attempt.Classify(exception);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_connection.IsValueCreated)
        {
            _connection.Value.Client.Dispose();
            _connection.Value.Credentials.Dispose();
        }
    }

    private static (AmazonS3Client Client, SdkCredentials Credentials) Connect(AwsOptions aws, bool? forcePathStyle, TimeSpan guard, TimeProvider time)
    {
        S3Endpoint endpoint = S3Endpoint.Resolve(forcePathStyle, aws, Environment.GetEnvironmentVariable);
        SdkCredentials credentials = new(AwsCredentialSource.Create(aws, time));

        // No checksums except the format's own: some of S3's algorithms would need native code.
        return (SdkConnection.CreateClient(endpoint, credentials, ConnectTimeout, guard, RequestChecksumCalculation.WHEN_REQUIRED), credentials);
    }

    private static S3ObjectContent Opened(GetObjectResponse answer, string? wanted)
    {
        string? eTag = answer.ETag?.Trim('"');
        if (string.IsNullOrEmpty(eTag))
        {
            // S3 always sends an ETag. A success without one is probably a proxy's.
            answer.Dispose();
            return new S3ObjectContent(S3Fault.NotS3((int)answer.HttpStatusCode));
        }

        // The requested version is preferred: an event has the same one on every delivery.
        return new S3ObjectContent(answer.ResponseStream, answer.ContentLength, wanted ?? eTag, answer);
    }
}
