using Amazon;
using Amazon.Runtime;
using Amazon.S3;
using Worker.Aws;

namespace Worker.Sinks.S3;

/// <summary>Makes the SDK's client, so that nothing about time, attempts or hosts is left to its defaults.</summary>
internal static class S3Connection
{
    /// <summary>The settings of the section <c>Aws</c> with those of the sink in front. Credentials are taken from one of the two, never mixed.</summary>
    public static AwsOptions Combine(S3SinkOptions own, AwsOptions shared)
    {
        bool ownCredentials = own.AccessKeyId is not null || own.Profile is not null;
        return new AwsOptions
        {
            Region = own.Region ?? shared.Region,
            Endpoint = own.Endpoint ?? shared.Endpoint,
            AllowPlainHttp = own.AllowPlainHttp || shared.AllowPlainHttp,
            AccessKeyId = ownCredentials ? own.AccessKeyId : shared.AccessKeyId,
            SecretAccessKey = ownCredentials ? own.SecretAccessKey : shared.SecretAccessKey,
            SessionToken = ownCredentials ? own.SessionToken : shared.SessionToken,
            Profile = ownCredentials ? own.Profile : shared.Profile,
        };
    }

    /// <summary>The client. Asks for the region where none is configured, which may take seconds outside of AWS; opens no connection.</summary>
    /// <exception cref="Hosting.StartupException">There is no usable region or endpoint.</exception>
    public static AmazonS3Client CreateClient(S3SinkOptions options, AwsOptions aws, AWSCredentials credentials, Func<string, string?> environment)
    {
        AmazonS3Config config = new()
        {
            HttpClientFactory = new S3HttpClientFactory(options.ConnectTimeout),
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
        };

        Uri? endpoint = AwsEndpoint.FindCustom(aws, "S3", environment);
        config.ForcePathStyle = options.ForcePathStyle ?? endpoint is not null;
        if (endpoint is null)
        {
            config.RegionEndpoint = RegionEndpoint.GetBySystemName(AwsRegion.Resolve(aws, fromAddress: null, environment));
        }
        else
        {
            config.ServiceURL = endpoint.GetLeftPart(UriPartial.Authority);

            // A store outside of AWS mostly has no regions, and then takes the one that S3 started in.
            config.AuthenticationRegion = FirstSet(aws.Region, environment("AWS_REGION"), environment("AWS_DEFAULT_REGION")) ?? "us-east-1";
        }

        return new AmazonS3Client(credentials, config);
    }

    private static string? FirstSet(params ReadOnlySpan<string?> values)
    {
        foreach (string? value in values)
        {
            if (!string.IsNullOrWhiteSpace(value))
            {
                return value;
            }
        }

        return null;
    }
}
