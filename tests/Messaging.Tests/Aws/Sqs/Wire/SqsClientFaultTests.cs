using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>Errors, odd answers, broken and hanging connections.</summary>
public sealed class SqsClientFaultTests
{
    // A call that takes longer is hung.
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(20);

    // For clients whose handler answers.
    private static readonly Uri Nowhere = new("http://127.0.0.1:1");

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

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Rejected, "ResponseTooLarge"));
    }

    [Theory]
    [InlineData(
        400, """{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}""", "", "QueueDoesNotExist",
        nameof(AwsErrorKind.Missing))]
    [InlineData(400, """{"__type":"QueueDoesNotExist","Message":"none"}""", "", "QueueDoesNotExist", nameof(AwsErrorKind.Missing))]
    [InlineData(400, "{}", "x-amzn-query-error: AWS.SimpleQueueService.NonExistentQueue;Sender", "NonExistentQueue", nameof(AwsErrorKind.Missing))]
    [InlineData(400, "", "x-amzn-ErrorType: OverLimit:http://internal.amazon.com/coral/", "OverLimit", nameof(AwsErrorKind.Throttled))]
    [InlineData(
        403, """{"message":"no","__type":"com.amazon.coral.service#AccessDeniedException","more":{"deep":[1]}}""", "", "AccessDeniedException",
        nameof(AwsErrorKind.Refused))]
    [InlineData(400, """{"__type":"com.amazonaws.sqs#KmsThrottled"}""", "", "KmsThrottled", nameof(AwsErrorKind.Throttled))]
    [InlineData(503, "<html>Service Unavailable</html>", "", "HTTP 503", nameof(AwsErrorKind.Transient))]
    [InlineData(500, """{"__type":"com.amazonaws.sqs#Odd""", "", "HTTP 500", nameof(AwsErrorKind.Transient))]
    [InlineData(429, "", "", "HTTP 429", nameof(AwsErrorKind.Throttled))]
    [InlineData(403, "", "", "HTTP 403", nameof(AwsErrorKind.Refused))]
    [InlineData(
        400, """{"__type":"com.amazonaws.sqs#InvalidParameterValue","message":"bad \ud800 value"}""", "", "InvalidParameterValue",
        nameof(AwsErrorKind.Rejected))]
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
        await using FakeService service =
            await FakeService.StartAsync(400, $$"""{"__type":"X","message":"line\nfeed\u001b[31m{{new string('y', 100_000)}}"}""");
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailReceiveAsync();

        // 256 bytes of the service's text, 14 of them before the run of y.
        error.Detail.ShouldBe($"line\\u000afeed\\u001b[31m{new string('y', 242)}…");
        error.Message.ShouldNotContain("\n");
    }

    [Theory]
    [InlineData("<html>ok</html>")]
    [InlineData("")]
    [InlineData("{\"Messages\":[{\"Body\":\"cut")]
    public async Task ReceiveAsync_InvalidAnswer_IsTransient(string body)
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

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.Rejected);

        other.Requests.ShouldBeEmpty();
    }

    [Fact]
    public async Task ReceiveAsync_ServerHangs_EndsAtWaitPlusFiveSeconds()
    {
        ManualTimeProvider time = new(DateTimeOffset.UnixEpoch);
        await using FakeService service = await FakeService.StartAsync((context, _) => Task.Delay(Timeout.Infinite, context.RequestAborted));
        using WireClient client = new(service.Address, time: time);

        Task<SqsReceivedMessage[]> call = client.ReceiveAsync(wait: 20);
        await Until(() => !service.Requests.IsEmpty);
        int timers = time.ArmedTimers;
        time.Advance(TimeSpan.FromSeconds(24.9));
        time.ArmedTimers.ShouldBe(timers, "The call's limit has not ended.");
        time.Advance(TimeSpan.FromSeconds(0.2));

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(() => call.WaitAsync(MaxWait));
        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "Timeout"));
    }

    /// <summary>
    /// Half of the visibility timeout, but at least ReceiveGrace: more than the 5 s that a receive without a wait has until its answer begins.
    /// </summary>
    [Theory]
    [InlineData(30, 15)]
    [InlineData(4, 5)]
    public async Task ReceiveAsync_BodyComesInPieces_IsTakenWhileTheMessagesAreHidden(int visibility, int limit)
    {
        ManualTimeProvider time = new(DateTimeOffset.UnixEpoch);
        PiecewiseAnswer answer = new();
        using WireClient client = new(Nowhere, time: time, handler: answer);
        byte[] body = ReceiveResponses.Utf8(ReceiveResponses.Of(ReceiveResponses.Message("text")));

        Task<SqsReceivedMessage[]> call = client.ReceiveAsync(visibility: visibility);
        await answer.Body.WriteAsync(body.AsMemory(0, 10));
        time.Advance(TimeSpan.FromSeconds(limit - 1));
        await answer.Body.WriteAsync(body.AsMemory(10, 10));
        time.Advance(TimeSpan.FromSeconds(0.9));
        await answer.Body.WriteAsync(body.AsMemory(20));
        await answer.Body.CompleteAsync();

        SqsReceivedMessage[] batch = await call.WaitAsync(MaxWait);
        batch.Length.ShouldBe(1);
        batch.ReleaseAll();
    }

    [Theory]
    [InlineData(30, 15)]
    [InlineData(4, 5)]
    public async Task ReceiveAsync_BodyStops_EndsAtTheBodysLimit(int visibility, int limit)
    {
        ManualTimeProvider time = new(DateTimeOffset.UnixEpoch);
        PiecewiseAnswer answer = new();
        using WireClient client = new(Nowhere, time: time, handler: answer);

        Task<SqsReceivedMessage[]> call = client.ReceiveAsync(visibility: visibility);
        await answer.Body.WriteAsync("{"u8.ToArray());
        time.Advance(TimeSpan.FromSeconds(limit - 0.1));
        time.ArmedTimers.ShouldBe(1, "The body's limit has not ended.");
        time.Advance(TimeSpan.FromSeconds(0.2));

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(() => call.WaitAsync(MaxWait));
        (error.Kind, error.Code, error.Detail).ShouldBe((AwsErrorKind.Transient, "Timeout", $"no complete answer within {limit} s"));
    }

    [Fact]
    public async Task DeleteBatchAsync_AnswerDrips_EndsAtTenSeconds()
    {
        ManualTimeProvider time = new(DateTimeOffset.UnixEpoch);
        int drips = 0;
        await using FakeService service = await FakeService.StartAsync(async (context, _) =>
        {
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.WriteAsync(" ");
                await context.Response.Body.FlushAsync();
                Interlocked.Increment(ref drips);
                await Task.Delay(5);
            }
        });
        using WireClient client = new(service.Address, time: time);

        Task call = client.Client
            .DeleteBatchAsync(WireClient.Url, new ReadOnlyMemory<byte>[] { "h"u8.ToArray() }, new BatchEntryResult[1], CancellationToken.None)
            .AsTask();
        await Until(() => Volatile.Read(ref drips) > 3);
        time.Advance(TimeSpan.FromSeconds(10));

        (await Should.ThrowAsync<AwsServiceException>(() => call.WaitAsync(MaxWait))).Code.ShouldBe("Timeout");
    }

    [Fact]
    public async Task ReceiveAsync_Cancelled_ThrowsOfTheCallersToken()
    {
        await using FakeService service = await FakeService.StartAsync((context, _) => Task.Delay(Timeout.Infinite, context.RequestAborted));
        using WireClient client = new(service.Address);
        using CancellationTokenSource stop = new();

        Task<SqsReceivedMessage[]> call = client.ReceiveAsync(wait: 20, cancellationToken: stop.Token);
        await Until(() => !service.Requests.IsEmpty);
        await stop.CancelAsync();

        OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(() => call.WaitAsync(MaxWait));
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
    public async Task ReceiveAsync_NoListener_IsTransient()
    {
        using Socket reserved = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        reserved.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        using WireClient client = new(new Uri($"http://127.0.0.1:{((IPEndPoint)reserved.LocalEndPoint!).Port}"));

        (await client.FailReceiveAsync()).Kind.ShouldBe(AwsErrorKind.Transient);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("{\"MessageId\":null}")]
    [InlineData("{\"MessageId\":7}")]
    [InlineData("nothing")]
    public async Task SendAsync_AnswerWithoutId_IsNoSuccess(string body)
    {
        await using FakeService service = await FakeService.StartAsync(200, body);
        using WireClient client = new(service.Address);

        AwsServiceException error = await client.FailAsync(c => c.SendAsync(WireClient.Url, new SendEntry("b"u8.ToArray()), CancellationToken.None).AsTask());

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Transient, "MalformedResponse"));
    }

    private static async Task Until(Func<bool> condition)
    {
        using CancellationTokenSource limit = new(MaxWait);
        while (!condition())
        {
            await Task.Delay(5, limit.Token);
        }
    }

    /// <summary>A success whose body a test writes. A write ends when the client has read it, and thus has begun the body's time.</summary>
    private sealed class PiecewiseAnswer : HttpMessageHandler
    {
        private readonly Pipe _body = new(new PipeOptions(pauseWriterThreshold: 1, resumeWriterThreshold: 1));

        public PipeWriter Body => _body.Writer;

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) =>
            Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = new StreamContent(_body.Reader.AsStream()) });
    }
}
