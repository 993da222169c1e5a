using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A worker whose queue delivers pointers to payloads in S3.</summary>
public sealed class EnvelopeTests(AwsServer aws, RealS3 realS3)
{
    [Fact]
    public async Task ExtendedClient_Payloads_AreStoredAndStayInTheirBucket()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        string bucket = await endpoint.CreateBucketAsync("payloads");
        using AmazonS3Client s3 = endpoint.CreateS3Client();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("payload", 12);
        foreach (ArchiveMessage message in messages)
        {
            await s3.PutObjectAsync(new PutObjectRequest { BucketName = bucket, Key = $"stored/{message.Id}", ContentBody = message.Text });
        }

        await s3.PutObjectAsync(new PutObjectRequest { BucketName = bucket, Key = "refused", ContentBody = "{" });
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        await queue.SendAllAsync(
            ((string[])[.. messages.Select(message => $"stored/{message.Id}"), "refused"]).Select(
                key => $$"""["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"{{bucket}}","s3Key":"{{key}}"}]"""));

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Routes:archive:Envelope=ExtendedClient",
                $"--Envelopes:ExtendedClient:Buckets={bucket}"]);

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(60));
        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(1);
        (await worker.StopAsync()).ShouldBe(0);
        (await s3.ListObjectsV2Async(new ListObjectsV2Request { BucketName = bucket })).S3Objects.Count.ShouldBe(messages.Length + 1);
    }
}
