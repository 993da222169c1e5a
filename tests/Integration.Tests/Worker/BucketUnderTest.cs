using System.Collections.Concurrent;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

internal sealed class BucketUnderTest(AwsEndpoint endpoint, string bucket) : SinkUnderTest
{
    private readonly AmazonS3Client _s3 = endpoint.CreateS3Client();

    public override IReadOnlyList<string> Arguments { get; } = S3Arguments(endpoint, bucket);

    public override async Task<Dictionary<string, byte[]>> ReadAllAsync()
    {
        var objects = new ConcurrentDictionary<string, byte[]>(StringComparer.Ordinal);
        var request = new ListObjectsV2Request { BucketName = bucket };
        ListObjectsV2Response page;
        do
        {
            page = await _s3.ListObjectsV2Async(request);
            await Parallel.ForEachAsync(page.S3Objects ?? [], new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (entry, token) =>
            {
                using GetObjectResponse answer = await _s3.GetObjectAsync(bucket, entry.Key, token);
                using var body = new MemoryStream();
                await answer.ResponseStream.CopyToAsync(body, token);
                objects[entry.Key] = body.ToArray();
            });
            request.ContinuationToken = page.NextContinuationToken;
        }
        while (page.IsTruncated == true);
        return new Dictionary<string, byte[]>(objects, StringComparer.Ordinal);
    }

    public override ValueTask DisposeAsync()
    {
        _s3.Dispose();
        return ValueTask.CompletedTask;
    }
}
