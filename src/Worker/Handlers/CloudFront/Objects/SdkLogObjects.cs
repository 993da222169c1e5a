using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Worker.Aws;
using Worker.Aws.S3;
using Worker.Costs;
using Worker.Handlers.CloudFront.Events;

namespace Worker.Handlers.CloudFront.Objects;

/// <summary>Reads objects through AWSSDK.S3, as a stream and on a condition. Retries nothing but a wrong clock and expired credentials, once each.</summary>
internal sealed class SdkLogObjects : ILogObjects
{
    private static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(2);

    private readonly AmazonS3Client _client;
    private readonly SdkCredentials _credentials;
    private readonly TimeProvider _time;
    private readonly ApiCalls _calls;

    /// <param name="client">Owned from here on.</param>
    /// <param name="credentials">Owned from here on.</param>
    /// <param name="time">Times the attempts.</param>
    /// <param name="calls">Counts the requests.</param>
    public SdkLogObjects(AmazonS3Client client, SdkCredentials credentials, TimeProvider time, ApiCalls calls)
    {
        _client = client;
        _credentials = credentials;
        _time = time;
        _calls = calls;
    }

    /// <summary>With a client of its own; opens no connection.</summary>
    /// <param name="aws">Region, endpoint and credentials.</param>
    /// <param name="forcePathStyle">Whether the bucket stands in the path; null for what the kind of store needs.</param>
    /// <param name="guard">Time after which a request ends whatever happens.</param>
    /// <param name="time">Times the attempts.</param>
    /// <param name="calls">Counts the requests.</param>
    /// <exception cref="Hosting.StartupException">Region or endpoint cannot be found out.</exception>
    public static SdkLogObjects Create(AwsOptions aws, bool? forcePathStyle, TimeSpan guard, TimeProvider time, ApiCalls calls)
    {
        S3Endpoint endpoint = S3Endpoint.Resolve(forcePathStyle, aws, Environment.GetEnvironmentVariable);
        SdkCredentials credentials = new(AwsCredentialSource.Create(aws, time));

        // Gzip has checksums of its own, and those of S3 would need native code for some of its algorithms.
        AmazonS3Client client = SdkConnection.CreateClient(endpoint, credentials, ConnectTimeout, guard, RequestChecksumCalculation.WHEN_REQUIRED);
        return new SdkLogObjects(client, credentials, time, calls);
    }

    public async ValueTask<OpenedLog> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken)
    {
        using S3Attempt attempt = new(limit, _time, cancellationToken);
        bool clockCorrected = false;
        bool credentialsRefreshed = false;
        while (true)
        {
            S3Fault fault;
            try
            {
                await _credentials.PrepareAsync(attempt.Token);
                _calls.Sending(ApiOperation.S3GetObject);
                return Opened(await attempt.LimitAsync(_client.GetObjectAsync(RequestFor(wanted), attempt.Token)), wanted);
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
                case S3FaultKind.ExpiredCredentials when !credentialsRefreshed && await RefreshAsync(attempt):
                    credentialsRefreshed = true;
                    continue;
                default:
                    return new OpenedLog(fault);
            }
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _credentials.Dispose();
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

    private async ValueTask<bool> RefreshAsync(S3Attempt attempt)
    {
        try
        {
            return await _credentials.RefreshAsync(attempt.Token);
        }
        catch (Exception exception) when (exception is AwsServiceException or OperationCanceledException)
        {
            // The caller's own end is found by the next look at its token.
            return false;
        }
    }
}
