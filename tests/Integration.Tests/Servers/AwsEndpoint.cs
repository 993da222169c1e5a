using Amazon.Runtime;
using Amazon.S3;

namespace Integration.Tests.Servers;

/// <summary>Address and credentials of a test's SQS and S3, or of S3 alone.</summary>
/// <param name="Implementation">For texts: fauxqs, Ceph, or the endpoint from the environment.</param>
/// <param name="ServiceUrl">Scheme, host and port; buckets are addressed by path.</param>
/// <param name="TrailingChecksums">False where the server rejects the checksum trailers that the SDK sends by default.</param>
internal sealed record AwsEndpoint(
    string Implementation, Uri ServiceUrl, string AccessKey, string SecretKey, string Region, bool TrailingChecksums)
{
    public AmazonS3Client CreateS3Client(Action<AmazonS3Config>? configure = null)
    {
        var config = new AmazonS3Config
        {
            ServiceURL = ServiceUrl.ToString(),
            AuthenticationRegion = Region,
            ForcePathStyle = true,
            RequestChecksumCalculation = TrailingChecksums ? RequestChecksumCalculation.WHEN_SUPPORTED : RequestChecksumCalculation.WHEN_REQUIRED,
            ResponseChecksumValidation = TrailingChecksums ? ResponseChecksumValidation.WHEN_SUPPORTED : ResponseChecksumValidation.WHEN_REQUIRED,
        };
        configure?.Invoke(config);
        return new AmazonS3Client(new BasicAWSCredentials(AccessKey, SecretKey), config);
    }

    /// <summary>A bucket that no other test has.</summary>
    public async Task<string> CreateBucketAsync(string prefix = "test")
    {
        string bucket = $"{prefix}-{Guid.NewGuid():n}";
        using AmazonS3Client s3 = CreateS3Client();
        await s3.PutBucketAsync(bucket);
        return bucket;
    }

    /// <summary>The standard variables of the AWS SDKs, for a worker process.</summary>
    /// <param name="service">S3 or SQS when the endpoint has only that service; the variable is then <c>AWS_ENDPOINT_URL_S3</c>, for example.</param>
    public Dictionary<string, string> ToEnvironment(string? service = null)
    {
        var environment = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            [service is null ? "AWS_ENDPOINT_URL" : $"AWS_ENDPOINT_URL_{service}"] = ServiceUrl.ToString(),
            ["AWS_ACCESS_KEY_ID"] = AccessKey,
            ["AWS_SECRET_ACCESS_KEY"] = SecretKey,
            ["AWS_REGION"] = Region,
        };
        if (!TrailingChecksums)
        {
            environment["AWS_REQUEST_CHECKSUM_CALCULATION"] = "when_required";
            environment["AWS_RESPONSE_CHECKSUM_VALIDATION"] = "when_required";
        }

        return environment;
    }
}
