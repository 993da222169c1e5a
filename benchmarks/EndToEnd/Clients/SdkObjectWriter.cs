using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>PUT by AWSSDK.S3: with its defaults, or as its documentation and issues say it gets cheaper.</summary>
internal sealed class SdkObjectWriter : IObjectWriter
{
    private readonly AmazonS3Client _client;
    private readonly bool _tuned;

    public SdkObjectWriter(ClientSettings settings)
    {
        _tuned = settings.Kind == ClientKind.SdkTuned;
        AmazonS3Config config = new()
        {
            ServiceURL = settings.Endpoint.AbsoluteUri,
            AuthenticationRegion = ClientSettings.Region,
            ForcePathStyle = true,
        };
        if (_tuned)
        {
            config.RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED;
            config.ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED;
        }

        _client = new AmazonS3Client(new BasicAWSCredentials(ClientSettings.AccessKey, ClientSettings.SecretKey), config);
    }

    public async Task PutAsync(string key, byte[] body)
    {
        PutObjectRequest request = new()
        {
            BucketName = ClientSettings.Bucket,
            Key = key,
            InputStream = new MemoryStream(body, writable: false),
            IfNoneMatch = "*",
        };
        if (_tuned)
        {
            request.UseChunkEncoding = false;
            request.DisablePayloadSigning = false;
        }

        await _client.PutObjectAsync(request);
    }
}
