using Amazon;
using Amazon.Runtime;
using Amazon.S3;

namespace Messaging.Aws.S3;

/// <summary>Creates the SDK's client with explicit timeouts, attempts and hosts instead of its defaults.</summary>
internal static class SdkConnection
{
    public static AmazonS3Client CreateClient(
        S3Endpoint endpoint, AWSCredentials credentials, TimeSpan connectTimeout, TimeSpan guard, RequestChecksumCalculation checksums)
    {
        AmazonS3Config config = new()
        {
            HttpClientFactory = new SdkHttpClientFactory(connectTimeout),
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
            config.ServiceURL = endpoint.Custom.GetLeftPart(UriPartial.Authority);
            config.AuthenticationRegion = endpoint.Region;
        }

        return new EtagTolerantClient(credentials, config);
    }
}
