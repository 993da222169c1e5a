using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.S3;
using Amazon.S3.Internal;

namespace Quayside.Messaging.Aws.S3;

/// <summary>Creates the SDK's client with explicit timeouts, attempts and hosts instead of its defaults.</summary>
internal static class SdkConnection
{
    public static AmazonS3Client CreateClient(
        S3Endpoint endpoint, AWSCredentials credentials, TimeSpan connectTimeout, TimeSpan guard, RequestChecksumCalculation checksums)
    {
        AmazonS3Config config = new()
        {
            HttpClientFactory = new SdkHttpClientFactory(connectTimeout, endpoint.Custom),
            ConnectTimeout = connectTimeout,

            // Only a guard: every attempt's own token ends it earlier. The SDK's default is 24.8 days.
            Timeout = guard,

            // The worker retries itself, so that attempts can be counted, jittered and ended.
            RetryMode = RequestRetryMode.Standard,
            MaxErrorRetry = 0,
            MaxStaleConnectionRetries = 0,

            AllowAutoRedirect = false,
            RequestChecksumCalculation = checksums,
            ResponseChecksumValidation = checksums == RequestChecksumCalculation.WHEN_REQUIRED
                ? ResponseChecksumValidation.WHEN_REQUIRED
                : ResponseChecksumValidation.WHEN_SUPPORTED,

            // S3Endpoint has read them, with the rules for plain http.
            IgnoreConfiguredEndpointUrls = true,
            ForcePathStyle = endpoint.PathStyle,
        };
        if (endpoint.Custom is null)
        {
            config.RegionEndpoint = RegionEndpoint.GetBySystemName(endpoint.Region);
        }
        else
        {
            config.ServiceURL = endpoint.Custom.AbsoluteUri.TrimEnd('/');
            config.AuthenticationRegion = endpoint.Region;
        }

        return new EtagTolerantClient(credentials, config);
    }
}

/// <summary>Creates the SDK's HTTP client: one per client of S3, disposed with it.</summary>
internal sealed class SdkHttpClientFactory(TimeSpan connectTimeout, Uri? custom) : HttpClientFactory
{
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        // The route's concurrency is the bound; a second one here would only let requests wait until their deadline.
        SocketsHttpHandler connections = AwsHttpHandler.Create(custom: custom);
        connections.ConnectTimeout = connectTimeout;
        return new HttpClient(new SdkHttpHandler(connections), disposeHandler: true)
        {
            Timeout = clientConfig.Timeout ?? System.Threading.Timeout.InfiniteTimeSpan,
        };
    }
}

/// <summary>Turns off HTTP behaviour of AWSSDK that does not suit a worker: Expect: 100-continue, redirects and unbounded answers.</summary>
internal sealed class SdkHttpHandler(HttpMessageHandler connections) : DelegatingHandler(connections)
{
    // An XML answer of S3 is below 1 KiB, a listing of one key below 4 KiB.
    private const int MaxAnswer = 64 * 1024;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // "Expect: 100-continue" costs a round trip per PUT, and a full second if a store does not support it; it helps with large
        // bodies only. It is not a signed header.
        request.Headers.ExpectContinue = false;

        HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
        try
        {
            // AWSSDK would send the request, with its signature, to the target of a 307.
            if ((int)response.StatusCode is >= 300 and < 400)
            {
                response.Headers.Location = null;
            }

            // AWSSDK parses answers from the network synchronously and without the token: a store that sends one byte per second would block
            // a pool thread indefinitely. An object is read by the caller.
            if (response.Content.Headers.ContentLength != 0 && request.Method != HttpMethod.Head && !IsObject(request, response))
            {
                await response.Content.LoadIntoBufferAsync(MaxAnswer, cancellationToken);
            }

            return response;
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    // A listing has a query; an object's query may name only its version.
    private static bool IsObject(HttpRequestMessage request, HttpResponseMessage response) =>
        request.Method == HttpMethod.Get
        && response.IsSuccessStatusCode
        && request.RequestUri is { } uri
        && (uri.Query.Length == 0 || (uri.Query.StartsWith("?versionId=", StringComparison.Ordinal) && !uri.Query.Contains('&', StringComparison.Ordinal)));
}

/// <summary>
/// The SDK's client without its check of an object's ETag against the MD5 of its bytes. The SDK takes every ETag without a dash for an MD5
/// and could not read objects of stores with other ETags. The worker compares bytes itself, or reads gzip with its CRC.
/// </summary>
internal sealed class EtagTolerantClient(AWSCredentials credentials, AmazonS3Config config) : AmazonS3Client(credentials, config)
{
    protected override void CustomizeRuntimePipeline(RuntimePipeline pipeline)
    {
        base.CustomizeRuntimePipeline(pipeline);
        pipeline.RemoveHandler<AmazonS3ResponseHandler>();
    }
}
