using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Benchmarks.Put;

/// <summary>AWSSDK.S3, called as an application calls it.</summary>
internal sealed class SdkClient : IPutClient
{
    private readonly AmazonS3Client _client;
    private readonly PutObjects _objects;
    private readonly bool _tuned;

    public SdkClient(Uri server, PutObjects objects, bool tuned)
    {
        _objects = objects;
        _tuned = tuned;
        AmazonS3Config config = new() { ServiceURL = server.GetLeftPart(UriPartial.Authority), ForcePathStyle = true, AuthenticationRegion = PutObjects.Region };
        if (tuned)
        {
            config.RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED;
            config.ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED;
        }

        _client = new AmazonS3Client(new BasicAWSCredentials(PutObjects.AccessKey, PutObjects.SecretKey), config);
    }

    public async ValueTask PutAsync(int key)
    {
        PutObjectRequest request = new()
        {
            BucketName = PutObjects.Bucket,
            Key = _objects.KeyTexts[key],
            InputStream = new MemoryStream(_objects.Body),
            ContentType = "application/json",
        };
        if (_tuned)
        {
            request.UseChunkEncoding = false;
        }

        PutObjectResponse response = await _client.PutObjectAsync(request);
        PutFailure.ThrowUnless(response.ETag == _objects.ETag, response.ETag);
    }

    public void Dispose() => _client.Dispose();
}
