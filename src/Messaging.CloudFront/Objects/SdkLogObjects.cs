using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Messaging.Aws;
using Messaging.Aws.S3;
using Messaging.CloudFront.Events;
using Messaging.Costs;

namespace Messaging.CloudFront.Objects;

/// <summary>Reads objects through AWSSDK.S3, as a stream and on a condition. Retries nothing but a wrong clock and expired credentials, once each.</summary>
internal sealed class SdkLogObjects : ILogObjects
{
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(2);

    private readonly Lazy<(AmazonS3Client Client, SdkCredentials Credentials)> _connection;
    private readonly TimeProvider _time;
    private readonly ApiCalls _calls;

    private SdkLogObjects(Func<(AmazonS3Client Client, SdkCredentials Credentials)> connect, TimeProvider time, ApiCalls calls)
    {
        _connection = new Lazy<(AmazonS3Client Client, SdkCredentials Credentials)>(connect);
        _time = time;
        _calls = calls;
    }

    /// <summary>
    /// With a client of its own, made with the first request: region and endpoint are asked for then, and a
    /// <see cref="Hosting.StartupException"/> says when they cannot be found out. The check at start is that request.
    /// </summary>
    /// <param name="aws">Region, endpoint and credentials.</param>
    /// <param name="forcePathStyle">Whether the bucket stands in the path; null for what the kind of store needs.</param>
    /// <param name="guard">Time after which a request ends whatever happens.</param>
    /// <param name="time">Times the attempts.</param>
    /// <param name="calls">Counts the requests.</param>
    public static SdkLogObjects Create(AwsOptions aws, bool? forcePathStyle, TimeSpan guard, TimeProvider time, ApiCalls calls) => new(
        () =>
        {
            S3Endpoint endpoint = S3Endpoint.Resolve(forcePathStyle, aws, Environment.GetEnvironmentVariable);
            SdkCredentials credentials = new(AwsCredentialSource.Create(aws, time));

            // Gzip has checksums of its own, and those of S3 would need native code for some of its algorithms.
            return (SdkConnection.CreateClient(endpoint, credentials, ConnectTimeout, guard, RequestChecksumCalculation.WHEN_REQUIRED), credentials);
        },
        time,
        calls);

    public async ValueTask<OpenedLog> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken)
    {
        (AmazonS3Client client, SdkCredentials credentials) = _connection.Value;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        bool clockCorrected = false;
        bool credentialsRefreshed = false;
        while (true)
        {
            S3Fault fault;
            try
            {
                await credentials.PrepareAsync(attempt.Token);
                _calls.Sending(S3Calls.Get);
                return Opened(await attempt.LimitAsync(client.GetObjectAsync(RequestFor(wanted), attempt.Token)), wanted);
            }
            catch (Exception exception)
            {
                fault = S3Faults.OfObject(attempt.Classify(exception));
            }

            switch (fault.Kind)
            {
                case S3FaultKind.ClockSkew when !clockCorrected:
                    clockCorrected = true;
                    continue;
                case S3FaultKind.ExpiredCredentials when !credentialsRefreshed && await RefreshAsync(credentials, attempt):
                    credentialsRefreshed = true;
                    continue;
                default:
                    return new OpenedLog(fault);
            }
        }
    }

    /// <summary>Lists one key of a bucket: what a missing bucket and refused credentials show in.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="prefix">Prefix of the key; rights may end there. Null for any.</param>
    /// <param name="limit">Time for it.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async ValueTask<S3Fault> ListAsync(string bucket, string? prefix, TimeSpan limit, CancellationToken cancellationToken)
    {
        (AmazonS3Client client, SdkCredentials credentials) = _connection.Value;
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        try
        {
            await credentials.PrepareAsync(attempt.Token);
            _calls.Sending(S3Calls.List);
            await attempt.LimitAsync(client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = bucket, Prefix = prefix, MaxKeys = 1 }, attempt.Token));
            return default;
        }
        catch (Exception exception)
        {
            return attempt.Classify(exception);
        }
    }

    public void Dispose()
    {
        if (_connection.IsValueCreated)
        {
            _connection.Value.Client.Dispose();
            _connection.Value.Credentials.Dispose();
        }
    }

    private static GetObjectRequest RequestFor(LogObject wanted) => new()
    {
        BucketName = wanted.Bucket,
        Key = wanted.Key,
        VersionId = wanted.VersionId,
        EtagToMatch = wanted.ETag is null ? null : $"\"{wanted.ETag}\"",
    };

    private static OpenedLog Opened(GetObjectResponse answer, LogObject wanted)
    {
        string? eTag = answer.ETag?.Trim('"');
        if (string.IsNullOrEmpty(eTag))
        {
            // Every S3 names what it sends. A success that does not is some proxy's.
            answer.Dispose();
            return new OpenedLog(S3Faults.NotS3((int)answer.HttpStatusCode));
        }

        // What the event says is preferred: it is the same on every delivery.
        return new OpenedLog(answer.ResponseStream, answer.ContentLength, wanted.VersionId ?? wanted.ETag ?? eTag, answer);
    }

    private static async ValueTask<bool> RefreshAsync(SdkCredentials credentials, S3Attempt attempt)
    {
        try
        {
            return await credentials.RefreshAsync(attempt.Token);
        }
        catch (Exception exception) when (exception is AwsServiceException or OperationCanceledException)
        {
            // The caller's own end is found by the next look at its token.
            return false;
        }
    }
}
