using Amazon.Runtime;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Aws.S3;

/// <summary>With checksums, as the SDK sends by default.</summary>
public sealed class SdkDefaultsTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(300)]
    [InlineData(200_000)]
    public async Task Store_WithChecksums_KeepsTheBytesAndComparesThem(int size)
    {
        await using FaultyS3 server = await FaultyS3.StartAsync();
        AwsEndpoint endpoint = server.Endpoint;
        using AmazonS3Client client = endpoint.CreateS3Client();
        string bucket = await endpoint.CreateBucketAsync("sink");
        await using IObjectSink sink = S3Sinks.Open(
            endpoint,
            new S3SinkOptions
            {
                Client = S3ClientKind.Sdk,
                Bucket = bucket,
                RequestChecksumCalculation = RequestChecksumCalculation.WHEN_SUPPORTED,
            });
        byte[] body = [.. Enumerable.Range(0, size).Select(index => (byte)(index ^ (index >> 8)))];

        (await sink.StoreAsync("key"u8.ToArray(), body, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync("key"u8.ToArray(), body, Token)).ShouldBe(SinkResult.AlreadyStored);
        (await sink.StoreAsync("key"u8.ToArray(), new byte[size + 1], Token)).Status.ShouldBe(SinkStatus.Collision);

        using GetObjectResponse answer = await client.GetObjectAsync(bucket, "key", Token);
        using MemoryStream bytes = new();
        await answer.ResponseStream.CopyToAsync(bytes, Token);
        bytes.ToArray().ShouldBe(body);
    }
}
