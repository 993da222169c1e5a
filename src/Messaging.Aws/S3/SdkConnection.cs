using Amazon;
using Amazon.Runtime;
using Amazon.S3;

namespace Messaging.Aws.S3;

/// <summary>Makes the SDK's client, so that nothing about time, attempts or hosts is left to its defaults.</summary>
internal static class SdkConnection
{
    /// <summary>The client; opens no connection.</summary>
    /// <param name="endpoint">Which store.</param>
    /// <param name="credentials">Keys to sign with.</param>
    /// <param name="connectTimeout">Time to open a connection.</param>
    /// <param name="guard">Time after which a request ends whatever happens.</param>
    /// <param name="checksums">Whether checksums are sent and looked at where S3 does not ask for them.</param>
    public static AmazonS3Client CreateClient(
        S3Endpoint endpoint, AWSCredentials credentials, TimeSpan connectTimeout, TimeSpan guard, RequestChecksumCalculation checksums)
    {
        AmazonS3Config config = new()
        {
            HttpClientFactory = new SdkHttpClientFactory(connectTimeout),
            ConnectTimeout = connectTimeout,

            // A guard only: every attempt ends by its own token before. The SDK's default is 24.8 days.
            Timeout = guard,

            // Attempts are the worker's own, so that they can be counted, jittered and ended.
            RetryMode = RequestRetryMode.Standard,
            MaxErrorRetry = 0,
            MaxStaleConnectionRetries = 0,

            AllowAutoRedirect = false,
            RequestChecksumCalculation = checksums,
            ResponseChecksumValidation = checksums == RequestChecksumCalculation.WHEN_REQUIRED
                ? ResponseChecksumValidation.WHEN_REQUIRED
                : ResponseChecksumValidation.WHEN_SUPPORTED,

            // Read here already, with the rules for plain http.
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
