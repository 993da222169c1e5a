using System.Text;
using System.Text.Json;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>Requests, and how their answers are read.</summary>
public sealed class SqsClientTests
{
    private static readonly string[] SystemAttributes =
        ["ApproximateReceiveCount", "SentTimestamp", "ApproximateFirstReceiveTimestamp", "MessageGroupId", "MessageDeduplicationId", "AWSTraceHeader"];

    [Fact]
    public async Task ReceiveAsync_Request_IsAwsJsonAndCorrectlySigned()
    {
        await using FakeService service = await FakeService.StartAsync(200, "{}");
        using WireClient client = new(service.Address);

        (int count, int unusable, _) = await client.Client.ReceiveAsync(WireClient.Url, 2, 45, ReceivedMessages.Clean(7), CancellationToken.None);

        (count, unusable).ShouldBe((0, 0));
        client.Buffers.Outstanding.ShouldBe(0);
        FakeRequest request = service.Requests.Single();
        request.Method.ShouldBe("POST");
        request.Target.ShouldBe("/");
        request.Headers["X-Amz-Target"].ShouldBe("AmazonSQS.ReceiveMessage");
        request.Headers["Content-Type"].ShouldBe("application/x-amz-json-1.0");
        request.Headers["X-Amz-Security-Token"].ShouldBe(WireClient.Token);
        request.Headers.Keys.ShouldNotContain("traceparent");
        request.Json.GetProperty("QueueUrl").GetString().ShouldBe(WireClient.Url);
        request.Json.GetProperty("MaxNumberOfMessages").GetInt32().ShouldBe(7);
        request.Json.GetProperty("WaitTimeSeconds").GetInt32().ShouldBe(2);
        request.Json.GetProperty("VisibilityTimeout").GetInt32().ShouldBe(45);
        foreach (string name in (string[])["AttributeNames", "MessageSystemAttributeNames"])
        {
            request.Json.GetProperty(name).EnumerateArray().Select(e => e.GetString()).ShouldBe(SystemAttributes);
        }

        request.Json.GetProperty("MessageAttributeNames").EnumerateArray().Single().GetString().ShouldBe("All");
        request.Headers["Authorization"].ShouldBe(SignAgain(request));
    }

    [Fact]
    public async Task ReceiveAsync_AnswerInSingleBytes_IsReadWhole()
    {
        byte[] answer =
            ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message(@"sm\u00edle \ud83d\ude00 é", "1"), ReceiveResponses.Message("two", "2")));
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            foreach (byte b in answer)
            {
                await context.Response.Body.WriteAsync(new[] { b });
                await context.Response.Body.FlushAsync();
            }
        });
        using WireClient client = new(service.Address);

        SqsReceivedMessage[] batch = await client.ReceiveAsync();

        batch.Length.ShouldBe(2);
        Encoding.UTF8.GetString(batch[0].Body.Span).ShouldBe("smíle 😀 é");
        Encoding.UTF8.GetString(batch[1].Body.Span).ShouldBe("two");
        client.Buffers.Outstanding.ShouldBe(1);
        batch.ReleaseAll();
    }

    [Fact]
    public async Task ReceiveAsync_BodiesLargerThanTheFirstBuffer_AreReadWhole()
    {
        string body = new('x', 1_000_000);
        await using FakeService service =
            await FakeService.StartAsync(200, ReceiveResponses.Of([.. Enumerable.Range(0, 10).Select(i => ReceiveResponses.Message(body, $"{i}"))]));
        using WireClient client = new(service.Address);

        SqsReceivedMessage[] batch = await client.ReceiveAsync();

        batch.Length.ShouldBe(10);
        for (int i = 0; i < 10; i++)
        {
            batch[i].Body.Length.ShouldBe(1_000_000);
            batch[i].ReleaseBody();
        }
    }

    [Fact]
    public async Task ReceiveAsync_AnswerExactlyAtTheLimit_IsTaken()
    {
        string answer = ReceiveResponses.Of(ReceiveResponses.Message(new string('x', 5_000)));
        await using FakeService service = await FakeService.StartAsync(200, answer);
        using WireClient client = new(service.Address, new SqsWireOptions { MaxResponseBytes = Encoding.UTF8.GetByteCount(answer) });

        SqsReceivedMessage[] batch = await client.ReceiveAsync();

        batch.Length.ShouldBe(1);
        batch.ReleaseAll();
    }

    [Fact]
    public async Task DeleteBatchAsync_SomeFailSomeMissing_GivesValues()
    {
        await using FakeService service =
            await FakeService.StartAsync(200, """{"Successful":[{"Id":"0"}],"Failed":[{"Id":"1","Code":"ReceiptHandleIsInvalid","SenderFault":true}]}""");
        using WireClient client = new(service.Address);
        ReadOnlyMemory<byte>[] handles = ["h/0=="u8.ToArray(), "h\"1"u8.ToArray(), "h2"u8.ToArray()];
        BatchEntryResult[] results = new BatchEntryResult[3];

        await client.Client.DeleteBatchAsync(WireClient.Url, handles, results, CancellationToken.None);

        results.Select(r => r.Succeeded).ShouldBe([true, false, false]);
        results.Select(r => r.Code).ShouldBe([null, "ReceiptHandleIsInvalid", "Unanswered"]);
        FakeRequest request = service.Requests.Single();
        request.Headers["X-Amz-Target"].ShouldBe("AmazonSQS.DeleteMessageBatch");
        request.Json
            .GetProperty("Entries")
            .EnumerateArray()
            .Select(e => $"{e.GetProperty("Id")}:{e.GetProperty("ReceiptHandle")}")
            .ShouldBe(["0:h/0==", "1:h\"1", "2:h2"]);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(11, 11)]
    [InlineData(2, 3)]
    public async Task DeleteBatchAsync_WrongCounts_AreADefectOfTheCaller(int handles, int results)
    {
        using WireClient client = new(new Uri("http://127.0.0.1:1"));

        await Should.ThrowAsync<ArgumentOutOfRangeException>(async () =>
            await client.Client.DeleteBatchAsync(WireClient.Url, new ReadOnlyMemory<byte>[handles], new BatchEntryResult[results], CancellationToken.None));
    }

    [Fact]
    public async Task ChangeVisibilityBatchAsync_Request_HasTheTimeouts()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"Successful":[{"Id":"0"},{"Id":"1"}],"Failed":[]}""");
        using WireClient client = new(service.Address);
        BatchEntryResult[] results = new BatchEntryResult[2];

        await client.Client.ChangeVisibilityBatchAsync(
            WireClient.Url, new VisibilityChange[] { new("a"u8.ToArray(), 0), new("b"u8.ToArray(), 60) }, results, CancellationToken.None);

        results.ShouldAllBe(r => r.Succeeded);
        FakeRequest request = service.Requests.Single();
        request.Headers["X-Amz-Target"].ShouldBe("AmazonSQS.ChangeMessageVisibilityBatch");
        request.Json
            .GetProperty("Entries")
            .EnumerateArray()
            .Select(e => $"{e.GetProperty("ReceiptHandle")}:{e.GetProperty("VisibilityTimeout")}")
            .ShouldBe(["a:0", "b:60"]);
    }

    [Fact]
    public async Task SendBatchAsync_EverythingSet_ArrivesUnchanged()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"Successful":[{"Id":"0","MessageId":"m-0"},{"Id":"1","MessageId":"m-1"}]}""");
        using WireClient client = new(service.Address);
        SendEntry[] entries =
        [
            new("{\"k\":\"é 😀 \\\"\"}"u8.ToArray(),
                [new("reason", "String", "malformed-json"), new("raw", "Binary", StringValue: null, new byte[] { 0, 255 })], "group", "dedup"),
            new(new byte[] { (byte)'<', 0xED, 0xA0, 0x80, (byte)'>' }, DelaySeconds: 5),
        ];
        BatchEntryResult[] results = new BatchEntryResult[2];

        await client.Client.SendBatchAsync(WireClient.Url, entries, results, CancellationToken.None);

        results.Select(r => r.MessageId).ShouldBe(["m-0", "m-1"]);
        FakeRequest request = service.Requests.Single();
        System.Text.Json.JsonElement[] sent = [.. request.Json.GetProperty("Entries").EnumerateArray()];
        sent[0].GetProperty("MessageBody").GetString().ShouldBe("{\"k\":\"é 😀 \\\"\"}");
        sent[0].GetProperty("MessageGroupId").GetString().ShouldBe("group");
        sent[0].GetProperty("MessageDeduplicationId").GetString().ShouldBe("dedup");
        sent[0].GetProperty("MessageAttributes").GetProperty("reason").GetRawText().ShouldBe("""{"DataType":"String","StringValue":"malformed-json"}""");
        sent[0].GetProperty("MessageAttributes").GetProperty("raw").GetRawText().ShouldBe("""{"DataType":"Binary","BinaryValue":"AP8="}""");
        sent[0].TryGetProperty("DelaySeconds", out _).ShouldBeFalse();
        sent[1].GetProperty("MessageBody").GetString().ShouldBe("<\uFFFD\uFFFD\uFFFD>", "SQS refuses what is not text.");
        sent[1].GetProperty("DelaySeconds").GetInt32().ShouldBe(5);
        request.Headers["Authorization"].ShouldBe(SignAgain(request));
    }

    [Fact]
    public async Task SendAsync_Answer_GivesTheMessageId()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"MD5OfMessageBody":"x","MessageId":"m-1"}""");
        using WireClient client = new(service.Address);

        (await client.Client.SendAsync(WireClient.Url, new SendEntry("b"u8.ToArray()), CancellationToken.None)).ShouldBe("m-1");

        service.Requests.Single().Headers["X-Amz-Target"].ShouldBe("AmazonSQS.SendMessage");
    }

    [Fact]
    public async Task GetQueueUrlAsync_ByArnByUrlAndByName_AsksOnlyWhereItMust()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"QueueUrl":"http://other-host/000000000000/orders"}""");
        using WireClient client = new(service.Address);
        async Task<string> Url(string queue) => await client.Client.GetQueueUrlAsync(SqsQueueReference.Parse(queue)!, CancellationToken.None);

        (await Url("http://other-host/000000000000/orders")).ShouldBe("http://other-host/000000000000/orders");
        service.Requests.ShouldBeEmpty();
        (await Url("arn:aws:sqs:eu-west-1:123456789012:orders")).ShouldBe("http://other-host/000000000000/orders");
        (await Url("orders")).ShouldBe("http://other-host/000000000000/orders");

        service.Requests.Select(r => Encoding.UTF8.GetString(r.Body)).ShouldBe(
            ["""{"QueueName":"orders","QueueOwnerAWSAccountId":"123456789012"}""", """{"QueueName":"orders"}"""]);
    }

    [Theory]
    [InlineData("\"3\"")]
    [InlineData("3")]
    public async Task GetQueueAttributesAsync_Answer_IsRead(string maxReceiveCount)
    {
        string policy = $$"""{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead","maxReceiveCount":{{maxReceiveCount}}}""".Replace(
            "\"", "\\\"", StringComparison.Ordinal);
        await using FakeService service = await FakeService.StartAsync(200,
            $$$"""{"Attributes":{"QueueArn":"arn:q","VisibilityTimeout":"45","ApproximateNumberOfMessages":"12","ApproximateNumberOfMessagesNotVisible":"5","FifoQueue":"true","RedrivePolicy":"{{{policy}}}"}}""");
        using WireClient client = new(service.Address);

        QueueAttributes attributes = await client.Client.GetQueueAttributesAsync(WireClient.Url, CancellationToken.None);

        attributes.ShouldBe(new QueueAttributes("arn:q", 45, 12, 5, IsFifo: true, "arn:aws:sqs:eu-west-1:123456789012:dead", 3));
    }

    [Fact]
    public async Task GetQueueAttributesAsync_PlainQueue_HasNoRedrive()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"Attributes":{"VisibilityTimeout":"30"}}""");
        using WireClient client = new(service.Address);

        (await client.Client.GetQueueAttributesAsync(WireClient.Url, CancellationToken.None)).ShouldBe(
            new QueueAttributes(Arn: null, 30, 0, 0, IsFifo: false, DeadLetterTargetArn: null, 0));
    }

    [Fact]
    public async Task Calls_ManyInParallel_DoNotMixUp()
    {
        // Each call asks for a visibility timeout of its own, which its messages bring back.
        await using FakeService service = await FakeService.StartAsync(async (context, number) =>
        {
            await Task.Delay(number % 7);
            using JsonDocument asked = JsonDocument.Parse(context.Features.Get<FakeRequest>()!.Body);
            int call = asked.RootElement.GetProperty("VisibilityTimeout").GetInt32();
            await FakeService.AnswerAsync(
                context, 200, ReceiveResponses.Of([.. Enumerable.Range(0, 10).Select(i => ReceiveResponses.Message($"body-{call}-{i}", $"id-{call}-{i}"))]));
        });
        using WireClient client = new(service.Address);

        await Parallel.ForAsync(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (call, _) =>
        {
            SqsReceivedMessage[] batch = await client.ReceiveAsync(visibility: call);
            batch.Length.ShouldBe(10);
            for (int i = 0; i < 10; i++)
            {
                SqsReceivedMessage message = batch[i];
                Encoding.UTF8.GetString(message.Body.Span).ShouldBe($"body-{call}-{i}");
                Encoding.UTF8.GetString(message.SourceId.Span).ShouldBe($"id-{call}-{i}");
                await Task.Yield();
                message.ReleaseBody();
            }
        });
    }

    /// <summary>Signs the received request, including the Host header: the client must have sent what it signed.</summary>
    private static string SignAgain(FakeRequest request)
    {
        string[] signed = request.Headers["Authorization"].Split("SignedHeaders=")[1].Split(',')[0].Split(';');
        signed.ShouldBe(["content-type", "host", "x-amz-date", "x-amz-security-token", "x-amz-target"]);
        return ReadableSignature.Authorization(
            "sqs", "eu-west-1", request.Method, request.Target, "", signed.Select(name => (name, request.Headers[name])), request.Body,
            request.Headers["X-Amz-Date"],
            new SigningCredentials("AKIDTEST", WireClient.Secret, WireClient.Token));
    }
}
