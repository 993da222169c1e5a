using Amazon;
using Amazon.Runtime;
using Amazon.S3;

namespace Worker.Sinks.S3.Sdk;

/// <summary>Makes the SDK's client, so that nothing about time, attempts or hosts is left to its defaults.</summary>
internal static class SdkConnection
{
    /// <summary>The client; opens no connection.</summary>
    public static AmazonS3Client CreateClient(S3SinkOptions options, S3Endpoint endpoint, AWSCredentials credentials)
    {
        AmazonS3Config config = new()
        {
            HttpClientFactory = new SdkHttpClientFactory(options.ConnectTimeout),
            ConnectTimeout = options.ConnectTimeout,

            // A guard only: every attempt ends by its own token before. The SDK's default is 24.8 days.
            Timeout = options.TotalTimeout,

            // Attempts are the sink's own, so that they can be counted, jittered and ended.
            RetryMode = RequestRetryMode.Standard,
            MaxErrorRetry = 0,
            MaxStaleConnectionRetries = 0,

            AllowAutoRedirect = false,
            RequestChecksumCalculation = options.RequestChecksumCalculation,
            ResponseChecksumValidation = options.RequestChecksumCalculation == RequestChecksumCalculation.WHEN_REQUIRED
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

        return new AmazonS3Client(credentials, config);
    }
}
