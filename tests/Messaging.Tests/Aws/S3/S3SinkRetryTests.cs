using Amazon.Runtime;
using Messaging.Tests.Aws.S3.Direct;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Aws.S3;

/// <summary>How the sink retries what a client reports, for either client.</summary>
public sealed class S3SinkRetryTests
{
    private static readonly S3Fault SlowDown = new(AwsErrorKind.Transient, "SlowDown", 503);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_StoreFailsForLong_GetsFewRetries()
    {
        ScriptedRequests requests = new(_ => SlowDown);
        await using S3Sink sink = Open(requests, maxAttempts: 3);

        SinkResult[] results = await Task.WhenAll(Enumerable.Range(0, 400).Select(_ => StoreAsync(sink)));

        results.ShouldAllBe(result => result.Status == SinkStatus.Transient && result.Exhausted);

        // 100 of the 800 retries that the attempts would allow: 500 tokens, 5 each.
        requests.Puts.ShouldBe(400 + 100);
    }

    [Fact]
    public async Task Store_RefusalsAfterALostAnswer_DoNotMakeTheObjectADuplicate()
    {
        ScriptedRequests requests = new(put => put switch
        {
            1 => new S3Fault(AwsErrorKind.Transient, S3Fault.ConnectionCode, MayHaveCommitted: true),
            2 => SlowDown,
            _ => new S3Fault(AwsErrorKind.Exists, "PreconditionFailed", 412),
        });
        await using S3Sink sink = Open(requests, maxAttempts: 3);

        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);
    }

    [Fact]
    public async Task Store_StoreRecovers_RetriesAreGrantedAgain()
    {
        bool trouble = true;
        ScriptedRequests requests = new(_ => trouble ? SlowDown : S3Fault.None);
        await using S3Sink sink = Open(requests, maxAttempts: 3);
        await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => StoreAsync(sink)));
        trouble = false;
        for (int i = 0; i < 10; i++)
        {
            (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);
        }

        int before = requests.Puts;
        trouble = true;
        await StoreAsync(sink);

        (requests.Puts - before).ShouldBe(3);
    }

    [Fact]
    public async Task Store_LastAttemptOfOneStore_CostsNoTokens()
    {
        ScriptedRequests requests = new(_ => SlowDown);
        await using S3Sink sink = Open(requests, maxAttempts: 1);

        await Task.WhenAll(Enumerable.Range(0, 400).Select(_ => StoreAsync(sink)));

        requests.Puts.ShouldBe(400);
    }

    [Fact]
    public async Task Store_StoreThrottles_TellsTheRouteOncePerAnswer()
    {
        CircuitBreaker breaker = new("test", new RecoverabilityOptions(), TimeProvider.System, NullLogger.Instance);
        int told = 0;
        breaker.Throttling += () => Interlocked.Increment(ref told);
        ScriptedRequests requests = new(put => put <= 2 ? SlowDown : S3Fault.None);
        await using S3Sink sink = Open(requests, maxAttempts: 3, breaker);

        (await StoreAsync(sink)).ShouldBe(SinkResult.Stored);

        told.ShouldBe(2);
        breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Theory]
    [InlineData("SlowDown", 503, true)]
    [InlineData("ServiceUnavailable", 503, true)]
    [InlineData("TooManyRequests", 429, true)]
    [InlineData("Timeout", 0, true)]
    [InlineData("InternalError", 500, false)]
    [InlineData("ConditionalRequestConflict", 409, false)]
    [InlineData("ConnectionError", 0, false)]
    [InlineData("AccessDenied", 403, false)]
    public async Task Store_EachAnswer_IsThrottlingOrNot(string code, int status, bool expected)
    {
        CircuitBreaker breaker = new("test", new RecoverabilityOptions(), TimeProvider.System, NullLogger.Instance);
        bool told = false;
        breaker.Throttling += () => told = true;
        S3Fault fault = status == 0 ? new S3Fault(AwsErrorKind.Transient, code) : S3Fault.OfAnswer(new AwsError(status, code, ""));
        await using S3Sink sink = Open(new ScriptedRequests(_ => fault), maxAttempts: 1, breaker);

        await StoreAsync(sink);

        told.ShouldBe(expected);
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Auto")]
    public async Task Store_SessionExpiresBeforeTheComparison_FetchesNewCredentialsOnce(string client)
    {
        await using RawServer server = new(request =>
            request.Method == "PUT" ? "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n"
            : request.Headers["Authorization"].Contains("AKID1", StringComparison.Ordinal) ? "HTTP/1.1 400 Bad Request\r\n\r\n"
            : "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 5\r\n\r\n");
        int fetched = 0;
        AwsCredentialSource credentials = new(
            () => Task.FromResult<AWSCredentials>(new SessionAWSCredentials($"AKID{Interlocked.Increment(ref fetched)}", "secret", "token")),
            TimeProvider.System);
        S3SinkOptions options = new() { Client = Enum.Parse<S3ClientKind>(client), Bucket = "archive", MaxAttempts = 1 };
        await using S3Sink sink = S3Sink.Create(
            options,
            new AwsOptions { Endpoint = server.Url, Region = "eu-west-1" },
            credentials,
            new SinkServices { Services = null!, Concurrency = 1 });

        SinkResult result = await StoreAsync(sink);

        result.Status.ShouldBe(SinkStatus.Collision, result.Detail);
        fetched.ShouldBe(2);
        server.Requests.Select(request => request.Method).ShouldBe(["PUT", "HEAD", "HEAD"]);
    }

    private static S3Sink Open(IS3Requests requests, int maxAttempts, CircuitBreaker? breaker = null) => new(
        new S3SinkOptions { Bucket = "archive", MaxAttempts = maxAttempts },
        requests,
        new SinkServices { Services = null!, Breaker = breaker });

    private static async Task<SinkResult> StoreAsync(S3Sink sink) => await sink.StoreAsync("k"u8.ToArray(), new byte[1], Token);
}
