using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A worker whose queue delivers messages in envelopes: it stores their contents, under the keys of these.</summary>
public sealed class EnvelopeTests(AwsServer aws, RealS3 realS3)
{
    private const int Messages = 60;

    [Theory]
    [InlineData("Sns", 1)]
    [InlineData("Base64, Gzip", 1)]
    [InlineData("JsonArray", 7)]
    [InlineData("Sns, JsonArray", 7)]
    public async Task Queue_DeliversEnvelopes_EveryContentIsStoredAndTheQueueIsEmpty(string envelope, int perMessage)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using SinkUnderTest sink = await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("enveloped", Messages);
        await queue.SendAllAsync(messages.Select(message => message.Text).Chunk(perMessage).Select(texts => Wrap(envelope, texts)));

        await using RunningWorker worker = await RunningWorker.StartAsync([.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, $"--Routes:archive:Envelope={envelope}"]);

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(60));
        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(0);
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task ExtendedClient_DeletesPayloads_OnlyOfStoredMessages()
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
        await queue.SendAllAsync(((string[])[.. messages.Select(message => $"stored/{message.Id}"), "refused"]).Select(key => $$"""["software.amazon.payloadoffloading.PayloadS3Pointer",{"s3BucketName":"{{bucket}}","s3Key":"{{key}}"}]"""));

        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. RunningWorker.SqsArguments(endpoint, queue), .. sink.Arguments, "--Routes:archive:Envelope=ExtendedClient", $"--Envelopes:ExtendedClient:Buckets={bucket}", "--Envelopes:ExtendedClient:DeletePayloads=true"]);

        await queue.WaitForCountAsync(counts => counts.Total == 0, TimeSpan.FromSeconds(60));
        await sink.ShouldHoldExactlyAsync(messages);
        (await deadLetters.CountAsync()).Total.ShouldBe(1);
        (await worker.StopAsync()).ShouldBe(0);
        (await s3.ListObjectsV2Async(new ListObjectsV2Request { BucketName = bucket })).S3Objects.Select(payload => payload.Key).ShouldBe(["refused"]);
    }

    // From the inside out.
    private static string Wrap(string envelope, string[] texts) => envelope.Split(", ").Reverse().Aggregate(
        texts is [var one] ? one : string.Empty,
        (content, name) => name switch
        {
            "JsonArray" => $"[{string.Join(',', texts)}]",
            "Sns" => JsonSerializer.Serialize(new { Type = "Notification", MessageId = "22b8", TopicArn = "arn:aws:sns:eu-west-1:1:orders", Message = content }),
            "Gzip" => Compress(content),
            _ => content,
        });

    // Base64 too, without which SQS takes no gzip.
    private static string Compress(string content)
    {
        using MemoryStream compressed = new();
        using (GZipStream gzip = new(compressed, CompressionLevel.Optimal))
        {
            gzip.Write(Encoding.UTF8.GetBytes(content));
        }

        return Convert.ToBase64String(compressed.ToArray());
    }
}
