using System.Text;
using Amazon.S3;
using Amazon.S3.Model;

namespace Integration.Tests.Faults.S3;

/// <summary>FaultyS3 as the AWS SDK sees it.</summary>
public sealed class FaultyS3Tests : IAsyncLifetime
{
    private const string Bucket = "archive";

    private FaultyS3 _s3 = null!;
    private AmazonS3Client _client = null!;

    public async ValueTask InitializeAsync()
    {
        _s3 = await FaultyS3.StartAsync();
        _client = _s3.Endpoint.CreateS3Client(config => config.MaxErrorRetry = 0);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _s3.DisposeAsync();
    }

    [Fact]
    public async Task Objects_PutHeadGetListDelete_BehaveAsS3()
    {
        string[] keys = ["a/1.json", "a/2 + é.json", "a/3&<>.json", "b/4.json"];
        foreach (string key in keys)
        {
            await _client.PutObjectAsync(new PutObjectRequest { BucketName = Bucket, Key = key, ContentBody = key, ContentType = "application/json" });
        }

        GetObjectMetadataResponse head = await _client.GetObjectMetadataAsync(Bucket, keys[1]);
        (head.ContentLength, head.Headers.ContentType).ShouldBe((Encoding.UTF8.GetByteCount(keys[1]), "application/json"));
        (await TextAsync(keys[2])).ShouldBe(keys[2]);

        var listed = new List<string>();
        ListObjectsV2Response page;
        string? token = null;
        do
        {
            page = await _client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = Bucket, Prefix = "a/", MaxKeys = 2, ContinuationToken = token });
            listed.AddRange(page.S3Objects.Select(found => found.Key));
            token = page.NextContinuationToken;
        }
        while (page.IsTruncated == true);
        listed.ShouldBe(keys[..3]);

        await _client.DeleteObjectAsync(Bucket, keys[0]);
        (await CodeAsync(() => _client.GetObjectAsync(Bucket, keys[0]))).ShouldBe("NoSuchKey");
        (await CodeAsync(() => _client.PutObjectAsync(Put("k", bucket: "another")))).ShouldBe("NoSuchBucket");
        await _client.PutBucketAsync("another");
        await _client.PutObjectAsync(Put("k", bucket: "another"));
    }

    private static PutObjectRequest Put(string key, string bucket = Bucket) => new() { BucketName = bucket, Key = key, ContentBody = "body" };

    private async Task<string> TextAsync(string key)
    {
        using GetObjectResponse answer = await _client.GetObjectAsync(Bucket, key);
        using var reader = new StreamReader(answer.ResponseStream);
        return await reader.ReadToEndAsync();
    }

    private static async Task<string> CodeAsync(Func<Task> action)
    {
        try
        {
            await action();
            return "";
        }
        catch (AmazonS3Exception exception)
        {
            return exception.ErrorCode;
        }
    }
}
