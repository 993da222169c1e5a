using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Amazon.Runtime;
using Microsoft.AspNetCore.Http;
using Pipeline.Buffers;
using Worker.Aws;
using Worker.Sources.Sqs.Wire;
using Worker.Tests.Aws;

namespace Worker.Tests.Sources.Sqs.Wire;

public sealed class SqsClientTests
{
    private static readonly string[] SystemAttributes =
        ["ApproximateReceiveCount", "SentTimestamp", "ApproximateFirstReceiveTimestamp", "MessageGroupId", "MessageDeduplicationId"];

    [Fact]
    public async Task ReceiveAsync_Request_IsAwsJsonAndCorrectlySigned()
    {
        await using FakeService service = await FakeService.StartAsync(200, "{}");
        using WireClient client = new(service.Address);

        ReceiveBatch batch = await client.Client.ReceiveAsync(new ReceiveRequest(WireClient.Url, 7, 2, 45), CancellationToken.None);

        batch.ShouldBeSameAs(ReceiveBatch.Empty);
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
        request.Headers["Authorization"].ShouldBe(SignAgain(request, client.Buffers));
    }

    [Fact]
    public async Task ReceiveAsync_AnswerInSingleBytes_IsReadWhole()
    {
        byte[] answer = ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message(@"sm\u00edle \ud83d\ude00 é", "1"), ReceiveResponses.Message("two", "2")));
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            foreach (byte b in answer)
            {
                await context.Response.Body.WriteAsync(new[] { b });
                await context.Response.Body.FlushAsync();
            }
        });
        using WireClient client = new(service.Address);

        ReceiveBatch batch = await client.ReceiveAsync();

        batch.Count.ShouldBe(2);
        Encoding.UTF8.GetString(batch[0].Body.Span).ShouldBe("smíle 😀 é");
        Encoding.UTF8.GetString(batch[1].Body.Span).ShouldBe("two");
        client.Buffers.Outstanding.ShouldBe(1);
        batch.ReleaseAll();
    }

    [Fact]
    public async Task ReceiveAsync_BodiesLargerThanTheFirstBuffer_AreReadWhole()
    {
        string body = new('x', 1_000_000);
        await using FakeService service = await FakeService.StartAsync(200, ReceiveResponses.Of([.. Enumerable.Range(0, 10).Select(i => ReceiveResponses.Message(body, $"{i}"))]));
        using WireClient client = new(service.Address);

        ReceiveBatch batch = await client.ReceiveAsync();

        batch.Count.ShouldBe(10);
        for (int i = 0; i < 10; i++)
        {
            batch[i].Body.Length.ShouldBe(1_000_000);
            batch[i].Release();
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ReceiveAsync_AnswerAboveTheLimit_IsRefused(bool announced)
    {
        string answer = ReceiveResponses.Of(ReceiveResponses.Message(new string('x', 5_000)));
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            context.Response.ContentLength = announced ? answer.Length : null;
            await context.Response.WriteAsync(answer);
        });
        using WireClient client = new(service.Address, new SqsWireOptions { MaxResponseBytes = 4_096 });

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Invalid, "ResponseTooLarge"));
    }

    [Fact]
    public async Task ReceiveAsync_AnswerExactlyAtTheLimit_IsTaken()
    {
        string answer = ReceiveResponses.Of(ReceiveResponses.Message(new string('x', 5_000)));
        await using FakeService service = await FakeService.StartAsync(200, answer);
        using WireClient client = new(service.Address, new SqsWireOptions { MaxResponseBytes = Encoding.UTF8.GetByteCount(answer) });

        ReceiveBatch batch = await client.ReceiveAsync();

        batch.Count.ShouldBe(1);
        batch.ReleaseAll();
    }

    [Theory]
    [InlineData(400, """{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}""", "", "QueueDoesNotExist", nameof(AwsErrorKind.NotFound))]
    [InlineData(400, """{"__type":"QueueDoesNotExist","Message":"none"}""", "", "QueueDoesNotExist", nameof(AwsErrorKind.NotFound))]
    [InlineData(400, "{}", "x-amzn-query-error: AWS.SimpleQueueService.NonExistentQueue;Sender", "NonExistentQueue", nameof(AwsErrorKind.NotFound))]
    [InlineData(400, "", "x-amzn-ErrorType: OverLimit:http://internal.amazon.com/coral/", "OverLimit", nameof(AwsErrorKind.Throttled))]
    [InlineData(403, """{"message":"no","__type":"com.amazon.coral.service#AccessDeniedException","more":{"deep":[1]}}""", "", "AccessDeniedException", nameof(AwsErrorKind.AccessDenied))]
    [InlineData(400, """{"__type":"com.amazonaws.sqs#KmsThrottled"}""", "", "KmsThrottled", nameof(AwsErrorKind.Throttled))]
    [InlineData(503, "<html>Service Unavailable</html>", "", "HTTP 503", nameof(AwsErrorKind.Transient))]
    [InlineData(500, """{"__type":"com.amazonaws.sqs#Odd""", "", "HTTP 500", nameof(AwsErrorKind.Transient))]
    [InlineData(429, "", "", "HTTP 429", nameof(AwsErrorKind.Throttled))]
    [InlineData(403, "", "", "HTTP 403", nameof(AwsErrorKind.AccessDenied))]
    [InlineData(400, """{"__type":"com.amazonaws.sqs#InvalidParameterValue","message":"bad \ud800 value"}""", "", "InvalidParameterValue", nameof(AwsErrorKind.Invalid))]
    public async Task ReceiveAsync_ErrorAnswer_IsClassified(int status, string body, string header, string code, string kind)
    {
        (string, string)[] headers = header.Length == 0 ? [] : [(header[..header.IndexOf(':')], header[(header.IndexOf(':') + 1)..].Trim())];
        await using FakeService service = await FakeService.StartAsync(status, body, [.. headers, ("x-amzn-RequestId", "req-1"), ("Retry-After", "7")]);
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind.ToString(), error.Code, error.Status).ShouldBe((kind, code, status));
        error.RequestId.ShouldBe("req-1");
        error.RetryAfter.ShouldBe(TimeSpan.FromSeconds(7));
        service.Requests.Count.ShouldBe(1);
    }

    [Fact]
    public async Task ReceiveAsync_HostileErrorText_IsBoundedAndEscaped()
    {
        await using FakeService service = await FakeService.StartAsync(400, $$"""{"__type":"X","message":"line\nfeed\u001b[31m{{new string('y', 100_000)}}"}""");
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailReceiveAsync();

        error.Detail.Length.ShouldBeLessThanOrEqualTo(256);
        error.Detail.ShouldStartWith("line\\u000afeed\\u001b[31my");
        error.Message.ShouldNotContain("\n");
    }

    [Theory]
    [InlineData("<html>ok</html>")]
    [InlineData("")]
    [InlineData("{\"Messages\":[{\"Body\":\"cut")]
    public async Task ReceiveAsync_AnswerThatIsNoAnswer_IsTransient(string body)
    {
        await using FakeService service = await FakeService.StartAsync(200, body);
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "MalformedResponse"));
    }

    [Fact]
    public async Task ReceiveAsync_Redirect_IsNotFollowed()
    {
        await using FakeService other = await FakeService.StartAsync(200, "{}");
        await using FakeService service = await FakeService.StartAsync(307, "", ("Location", other.Address.ToString()));
        using WireClient client = new(service.Address);

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.Invalid);

        other.Requests.ShouldBeEmpty();
    }

    [Fact]
    public async Task ReceiveAsync_ServerHangs_EndsAtWaitPlusFiveSeconds()
    {
        ManualTime time = new(DateTimeOffset.UnixEpoch);
        await using FakeService service = await FakeService.StartAsync((context, _) => Task.Delay(Timeout.Infinite, context.RequestAborted));
        using WireClient client = new(service.Address, time: time);

        Task<ReceiveBatch> call = client.ReceiveAsync(wait: 20);
        await Until(() => !service.Requests.IsEmpty);
        time.Advance(TimeSpan.FromSeconds(24.9));
        await Task.Delay(50);
        call.IsCompleted.ShouldBeFalse();
        time.Advance(TimeSpan.FromSeconds(0.2));

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(() => call);
        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "Timeout"));
    }

    [Fact]
    public async Task DeleteBatchAsync_AnswerDrips_EndsAtTenSeconds()
    {
        ManualTime time = new(DateTimeOffset.UnixEpoch);
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.WriteAsync(" ");
                await context.Response.Body.FlushAsync();
                await Task.Delay(5);
            }
        });
        using WireClient client = new(service.Address, time: time);

        Task call = client.Client.DeleteBatchAsync(WireClient.Url, new ReadOnlyMemory<byte>[] { "h"u8.ToArray() }, new BatchEntryResult[1], CancellationToken.None).AsTask();
        await Until(() => !service.Requests.IsEmpty);
        await Task.Delay(50);
        time.Advance(TimeSpan.FromSeconds(10));

        (await Should.ThrowAsync<AwsServiceException>(() => call)).Code.ShouldBe("Timeout");
    }

    [Fact]
    public async Task ReceiveAsync_Cancelled_ThrowsOfTheCallersToken()
    {
        await using FakeService service = await FakeService.StartAsync((context, _) => Task.Delay(Timeout.Infinite, context.RequestAborted));
        using WireClient client = new(service.Address);
        using CancellationTokenSource stop = new();

        Task<ReceiveBatch> call = client.ReceiveAsync(wait: 20, cancellationToken: stop.Token);
        await Until(() => !service.Requests.IsEmpty);
        await stop.CancelAsync();

        OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(() => call);
        error.CancellationToken.ShouldBe(stop.Token);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ReceiveAsync_ConnectionBreaks_IsTransient(bool afterHeaders)
    {
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            if (afterHeaders)
            {
                context.Response.ContentLength = 1_000;
                await context.Response.WriteAsync("{\"Messages\":[");
                await context.Response.Body.FlushAsync();
            }

            context.Abort();
        });
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "ConnectionError"));
    }

    [Fact]
    public async Task ReceiveAsync_NobodyListens_IsTransient()
    {
        using Socket reserved = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        reserved.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using WireClient client = new(new Uri($"http://127.0.0.1:{((IPEndPoint)reserved.LocalEndPoint!).Port}"));

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.Transient);
    }

    [Theory]
    [InlineData("RequestTimeTooSkewed", "The difference is too large.")]
    [InlineData("InvalidSignatureException", "Signature expired: 20260101T000000Z is now earlier than ...")]
    [InlineData("InvalidSignatureException", "Signature not yet current: ...")]
    [InlineData("SignatureDoesNotMatch", "The request signature we calculated does not match.")]
    public async Task ReceiveAsync_ClockIsAnHourOff_IsCorrectedOnceAndStaysSo(string code, string message)
    {
        DateTimeOffset truth = new(2026, 11, 21, 12, 0, 0, TimeSpan.Zero);
        ManualTime wrong = new(truth.AddHours(-1));
        await using FakeService service = await FakeService.StartAsync((context, _) =>
        {
            DateTimeOffset signedAt = DateTimeOffset.ParseExact(context.Request.Headers["X-Amz-Date"]!, "yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
            (string, string) date = ("Date", truth.ToString("R", CultureInfo.InvariantCulture));
            return (truth - signedAt).Duration() < TimeSpan.FromMinutes(5)
                ? FakeService.AnswerAsync(context, 200, "{}", date)
                : FakeService.AnswerAsync(context, 403, $$"""{"__type":"{{code}}","message":"{{message}}"}""", date);
        });
        using WireClient client = new(service.Address, time: wrong);

        await client.ReceiveAsync();
        await client.ReceiveAsync();

        service.Requests.Count.ShouldBe(3);
        client.Clock.Offset.ShouldBe(TimeSpan.FromHours(1));
        client.Clock.Corrections.ShouldBe(1);
    }

    [Fact]
    public async Task ReceiveAsync_SkewThatDoesNotGoAway_IsRetriedOnce()
    {
        await using FakeService service = await FakeService.StartAsync(403, """{"__type":"RequestTimeTooSkewed"}""");
        using WireClient client = new(service.Address);

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.ClockSkew);

        service.Requests.Count.ShouldBe(2);
    }

    [Fact]
    public async Task ReceiveAsync_WrongSecretWithAGoodClock_IsAccessDeniedAtOnce()
    {
        await using FakeService service = await FakeService.StartAsync(403, """{"__type":"SignatureDoesNotMatch","message":"..."}""");
        using WireClient client = new(service.Address);

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.AccessDenied);

        service.Requests.Count.ShouldBe(1);
        client.Clock.Corrections.ShouldBe(0);
    }

    [Fact]
    public async Task ReceiveAsync_ExpiredToken_IsRetriedWithNewCredentials()
    {
        await using FakeService service = await FakeService.StartAsync((context, _) =>
            context.Request.Headers["X-Amz-Security-Token"] == "token-1"
                ? FakeService.AnswerAsync(context, 403, """{"__type":"ExpiredTokenException","message":"The security token included in the request is expired"}""")
                : FakeService.AnswerAsync(context, 200, "{}"));
        int asked = 0;
        using WireClient client = new(service.Address, credentials: () => new SessionAWSCredentials("AKID", "secret", $"token-{++asked}"));

        await client.ReceiveAsync();
        await client.ReceiveAsync();

        service.Requests.Select(r => r.Headers["X-Amz-Security-Token"]).ShouldBe(["token-1", "token-2", "token-2"]);
    }

    [Fact]
    public async Task ReceiveAsync_ExpiredTokenAndNoOther_FailsAfterOneTry()
    {
        await using FakeService service = await FakeService.StartAsync(403, """{"__type":"ExpiredToken"}""");
        using WireClient client = new(service.Address);

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.ExpiredCredentials);

        service.Requests.Count.ShouldBe(1);
    }

    [Fact]
    public async Task ReceiveAsync_NoCredentials_IsAccessDeniedWithoutARequest()
    {
        await using FakeService service = await FakeService.StartAsync(200, "{}");
        using WireClient client = new(service.Address, credentials: () => throw new AmazonClientException("nothing in the chain"));

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.AccessDenied, "CredentialsUnavailable"));
        error.Message.ShouldContain("AWS_ACCESS_KEY_ID");
        service.Requests.ShouldBeEmpty();
    }

    [Fact]
    public async Task DeleteBatchAsync_SomeFailSomeMissing_GivesValues()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"Successful":[{"Id":"0"}],"Failed":[{"Id":"1","Code":"ReceiptHandleIsInvalid","SenderFault":true}]}""");
        using WireClient client = new(service.Address);
        ReadOnlyMemory<byte>[] handles = ["h/0=="u8.ToArray(), "h\"1"u8.ToArray(), "h2"u8.ToArray()];
        BatchEntryResult[] results = new BatchEntryResult[3];

        await client.Client.DeleteBatchAsync(WireClient.Url, handles, results, CancellationToken.None);

        results.Select(r => r.Succeeded).ShouldBe([true, false, false]);
        results.Select(r => r.Code).ShouldBe([null, "ReceiptHandleIsInvalid", "Unanswered"]);
        FakeRequest request = service.Requests.Single();
        request.Headers["X-Amz-Target"].ShouldBe("AmazonSQS.DeleteMessageBatch");
        request.Json.GetProperty("Entries").EnumerateArray().Select(e => $"{e.GetProperty("Id")}:{e.GetProperty("ReceiptHandle")}").ShouldBe(["0:h/0==", "1:h\"1", "2:h2"]);
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
        request.Json.GetProperty("Entries").EnumerateArray().Select(e => $"{e.GetProperty("ReceiptHandle")}:{e.GetProperty("VisibilityTimeout")}").ShouldBe(["a:0", "b:60"]);
    }

    [Fact]
    public async Task SendBatchAsync_EverythingSet_ArrivesUnchanged()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"Successful":[{"Id":"0","MessageId":"m-0"},{"Id":"1","MessageId":"m-1"}]}""");
        using WireClient client = new(service.Address);
        SendEntry[] entries =
        [
            new("{\"k\":\"é 😀 \\\"\"}"u8.ToArray(), [new("reason", "String", "malformed-json"), new("raw", "Binary", StringValue: null, new byte[] { 0, 255 })], "group", "dedup"),
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
        sent[1].GetProperty("MessageBody").GetRawText().ShouldBe("\"<\\ud800>\"");
        sent[1].GetProperty("DelaySeconds").GetInt32().ShouldBe(5);
        request.Headers["Authorization"].ShouldBe(SignAgain(request, client.Buffers));
    }

    [Fact]
    public async Task SendAsync_Answer_GivesTheMessageId()
    {
        await using FakeService service = await FakeService.StartAsync(200, """{"MD5OfMessageBody":"x","MessageId":"m-1"}""");
        using WireClient client = new(service.Address);

        (await client.Client.SendAsync(WireClient.Url, new SendEntry("b"u8.ToArray()), CancellationToken.None)).ShouldBe("m-1");

        service.Requests.Single().Headers["X-Amz-Target"].ShouldBe("AmazonSQS.SendMessage");
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("{\"MessageId\":null}")]
    [InlineData("{\"MessageId\":7}")]
    [InlineData("nothing")]
    public async Task SendAsync_AnswerWithoutId_IsNotTakenForSuccess(string body)
    {
        await using FakeService service = await FakeService.StartAsync(200, body);
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailAsync(c => c.SendAsync(WireClient.Url, new SendEntry("b"u8.ToArray()), CancellationToken.None).AsTask());

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "MalformedResponse"));
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
        string policy = $$"""{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead","maxReceiveCount":{{maxReceiveCount}}}""".Replace("\"", "\\\"", StringComparison.Ordinal);
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

        (await client.Client.GetQueueAttributesAsync(WireClient.Url, CancellationToken.None)).ShouldBe(new QueueAttributes(Arn: null, 30, 0, 0, IsFifo: false, DeadLetterTargetArn: null, 0));
    }

    [Fact]
    public async Task Calls_ManyAtOnce_DoNotMixUp()
    {
        await using FakeService service = await FakeService.StartAsync(async (context, number) =>
        {
            await Task.Delay(number % 7);
            await FakeService.AnswerAsync(context, 200, ReceiveResponses.Of([.. Enumerable.Range(0, 10).Select(i => ReceiveResponses.Message($"{number}-{i}", $"{number}-{i}"))]));
        });
        using WireClient client = new(service.Address);

        await Parallel.ForAsync(0, 200, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (_, _) =>
        {
            ReceiveBatch batch = await client.ReceiveAsync();
            batch.Count.ShouldBe(10);
            for (int i = 0; i < 10; i++)
            {
                SqsMessage message = batch[i];
                message.Body.Span.SequenceEqual(message.MessageId.Span).ShouldBeTrue();
                await Task.Yield();
                message.Release().ShouldBeTrue();
            }
        });
    }

    /// <summary>Signs what arrived, the Host header included: the client must have sent what it signed.</summary>
    private static string SignAgain(FakeRequest request, BufferPool buffers)
    {
        string[] signed = request.Headers["Authorization"].Split("SignedHeaders=")[1].Split(',')[0].Split(';');
        signed.ShouldBe(["content-type", "host", "x-amz-date", "x-amz-security-token", "x-amz-target"]);
        using PooledBuffer output = buffers.Rent();
        new SigV4Signer("sqs", "eu-west-1", new AwsClock(TimeProvider.System), buffers).AppendAuthorization(
            output,
            new SigV4Request
            {
                Method = request.Method,
                Path = request.Target,
                Headers = signed.Select(name => new SigV4Header(name, request.Headers[name])).ToArray(),
                PayloadHash = Encoding.ASCII.GetBytes(Convert.ToHexStringLower(SHA256.HashData(request.Body))),
            },
            new SigningCredentials("AKIDTEST", WireClient.Secret, WireClient.Token),
            DateTimeOffset.ParseExact(request.Headers["X-Amz-Date"], "yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal));
        return Encoding.ASCII.GetString(output.WrittenSpan);
    }

    private static async Task Until(Func<bool> condition)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(20));
        while (!condition())
        {
            await Task.Delay(5, limit.Token);
        }
    }
}
