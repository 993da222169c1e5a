using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;

namespace Benchmarks.Aws.Wire;

/// <summary>PUT by AWSSDK.S3, called as an application calls it: with its defaults, or tuned as its documentation and issues recommend.</summary>
internal sealed class SdkObjectWriter : IObjectWriter
{
    private readonly AmazonS3Client _client;
    private readonly string _bucket;
    private readonly bool _tuned;

    public SdkObjectWriter(Uri server, string bucket, bool tuned)
    {
        _bucket = bucket;
        _tuned = tuned;
        AmazonS3Config config =
            new() { ServiceURL = server.GetLeftPart(UriPartial.Authority), ForcePathStyle = true, AuthenticationRegion = WireAccount.Region };
        if (tuned)
        {
            config.RequestChecksumCalculation = RequestChecksumCalculation.WHEN_REQUIRED;
            config.ResponseChecksumValidation = ResponseChecksumValidation.WHEN_REQUIRED;
        }

        _client = new AmazonS3Client(new BasicAWSCredentials(WireAccount.AccessKey, WireAccount.SecretKey), config);
    }

    public async Task<string?> PutAsync(string key, byte[] body, bool onlyIfAbsent)
    {
        PutObjectRequest request = new()
        {
            BucketName = _bucket,
            Key = key,
            InputStream = new MemoryStream(body, writable: false),
            ContentType = "application/json",
        };
        if (onlyIfAbsent)
        {
            request.IfNoneMatch = "*";
        }

        if (_tuned)
        {
            request.UseChunkEncoding = false;
        }

        return (await _client.PutObjectAsync(request)).ETag;
    }

    public void Dispose() => _client.Dispose();
}
