using System.Text;
using Amazon.S3;
using Amazon.S3.Model;

namespace Integration.Tests.Servers;

public sealed class AwsServerTests(AwsServer aws)
{
    [Fact]
    public async Task RequireAsync_CalledTwice_GivesOneServer()
    {
        AwsEndpoint first = await aws.RequireAsync();

        (await aws.RequireAsync()).ShouldBe(first);
        first.ServiceUrl.IsLoopback.ShouldBeTrue();
    }

    [Fact]
    public async Task SqsQueue_SendReceiveDelete_CountsEveryState()
    {
        using SqsQueue queue = await SqsQueue.CreateAsync(
            await aws.RequireAsync(), new Dictionary<string, string>(StringComparer.Ordinal) { ["VisibilityTimeout"] = "30" });
        string[] bodies = [.. Enumerable.Range(0, 12).Select(number => $$"""{"number":{{number}},"text":"é \" \\"}""")];

        await queue.SendAllAsync(bodies);
        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 12, InFlight: 0, Delayed: 0));

        SqsMessage[] received = await queue.ReceiveAsync();
        received.Length.ShouldBe(10);
        received.ShouldAllBe(message => message.ReceiveCount == 1);
        (await queue.CountAsync()).ShouldBe(new SqsCounts(Visible: 2, InFlight: 10, Delayed: 0));

        foreach (SqsMessage message in received)
        {
            await queue.DeleteAsync(message);
        }

        List<SqsMessage> rest = await queue.DrainAsync();
        received.Concat(rest).Select(message => message.Body).ShouldBe(bodies, ignoreOrder: true);
        (await queue.CountAsync()).Total.ShouldBe(0);
    }

    [Fact]
    public async Task S3_PutThenGet_ReturnsTheBytes()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        string bucket = await endpoint.CreateBucketAsync();
        using AmazonS3Client s3 = endpoint.CreateS3Client();

        await s3.PutObjectAsync(new PutObjectRequest { BucketName = bucket, Key = "a/b.json", ContentBody = "{}" });

        using GetObjectResponse answer = await s3.GetObjectAsync(bucket, "a/b.json");
        using var reader = new StreamReader(answer.ResponseStream, Encoding.UTF8);
        (await reader.ReadToEndAsync()).ShouldBe("{}");
    }
}
