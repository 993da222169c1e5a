using System.Text;
using Integration.Tests.Faults.S3;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using S3Fault = Integration.Tests.Faults.S3.S3Fault;

namespace Integration.Tests.Aws.S3;

/// <summary>Rows 4 to 8, 17 and 18 of the fault table, for one object at a time.</summary>
public class S3SinkFaultTests : IAsyncLifetime
{
    private const string Bucket = "archive";
    private static readonly byte[] Body = Encoding.UTF8.GetBytes("{\"a\":1}");

    // Of a clock that moves once a request is there: a slow machine has a minute to connect.
    private static readonly TimeSpan HeldAttempt = TimeSpan.FromHours(1);

    private readonly ManualTimeProvider _time = new();
    private FaultyS3 _s3 = null!;

    /// <summary>The client under test; a subclass in the folder Direct uses the other client.</summary>
    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _s3 = await FaultyS3.StartAsync();

    public ValueTask DisposeAsync() => _s3.DisposeAsync();

    [Theory]
    [InlineData("SlowDown")]
    [InlineData("InternalError")]
    [InlineData("Conflict")]
    [InlineData("Corrupt")]
    [InlineData("HangBeforeCommit")]
    public async Task Store_FaultBeforeTheCommit_IsStoredByTheNextAttempt(string fault)
    {
        _s3.Script = FaultScript.Empty.OnPuts(1, 2, Enum.Parse<S3Fault>(fault));

        (await StoreAsync()).ShouldBe(SinkResult.Stored);

        _s3.Objects.Find(Bucket, "k")!.Body.ShouldBe(Body);
        _s3.History.Of().Select(exchange => exchange.Committed).ShouldBe([false, false, true]);
    }

    [Theory]
    [InlineData("CommitThenReset")]
    [InlineData("CommitThenHang")]
    [InlineData("CommitThenCut")]
    [InlineData("CommitThenDrip")]
    public async Task Store_AnswerLostAfterTheCommit_IsStoredOnce(string fault)
    {
        _s3.Script = FaultScript.Empty.OnPut(1, Enum.Parse<S3Fault>(fault));

        // The 412 and the comparison find the sink's own object, so this is no duplicate.
        (await StoreAsync()).ShouldBe(SinkResult.Stored);

        _s3.Objects.Find(Bucket, "k")!.Body.ShouldBe(Body);
        _s3.History.Of().Select(exchange => exchange.Status).ShouldBe([200, 412]);
        _s3.History.Of().Count(exchange => exchange.Committed).ShouldBe(1);
    }

    [Fact]
    public async Task Store_AnswerLostWithoutACondition_IsStoredOnce()
    {
        _s3.Script = FaultScript.Empty.OnPut(1, S3Fault.CommitThenReset);

        (await StoreAsync(new S3SinkOptions { Client = Client, Bucket = Bucket, Conditional = false })).ShouldBe(SinkResult.Stored);

        _s3.History.Of().Length.ShouldBe(1);
    }

    [Theory]
    [InlineData("SlowDown", 3)]
    [InlineData("InternalError", 3)]
    [InlineData("Conflict", 3)]
    [InlineData("Corrupt", 3)]
    [InlineData("CommitThenReset", 3)]
    public async Task Store_PersistentFault_IsTransientAfterTheAttempts(string fault, int attempts)
    {
        FaultScript script = FaultScript.Empty.OnEveryPut(Enum.Parse<S3Fault>(fault));
        _s3.Script = script.With(new FaultRule { Fault = S3Fault.SlowDown, Operation = S3Operation.HeadObject });

        SinkResult result = await StoreAsync();

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Exhausted.ShouldBeTrue();
        result.Detail.ShouldNotBeNullOrEmpty();
        _s3.History.Of().Length.ShouldBe(attempts);
    }

    [Theory]
    [InlineData("HangBeforeCommit")]
    [InlineData("CommitThenHang")]
    [InlineData("CommitThenDrip")]
    public async Task Store_StoreThatNeverAnswers_EndsWithTheTotalTime(string fault)
    {
        _s3.Script = FaultScript.Empty.OnEveryPut(Enum.Parse<S3Fault>(fault))
            .With(new FaultRule { Fault = Enum.Parse<S3Fault>(fault), Operation = S3Operation.HeadObject });
        DateTimeOffset start = _time.GetUtcNow();
        await using S3Sink sink = S3Sinks.Open(_s3.Endpoint, Held(HeldAttempt * 2.5, maxAttempts: 20), time: _time);

        SinkResult result = await PassAttemptsAsync(StoreAsync(sink).AsTask(), () => _s3.History.Of().Length);

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Exhausted.ShouldBeTrue();
        result.Detail!.ShouldContain("Timeout");
        (_time.GetUtcNow() - start).ShouldBeInRange(HeldAttempt * 2, HeldAttempt * 4);
        _s3.History.Of().Length.ShouldBeInRange(2, 4);
    }

    [Fact]
    public async Task Store_DrippingErrorAnswer_EndsWithItsTime()
    {
        int dripping = 0;
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            context.Response.StatusCode = 503;
            context.Response.ContentType = "application/xml";
            context.Response.ContentLength = 1_000;
            for (int drop = 0; ; drop++)
            {
                await context.Response.WriteAsync(" ", context.RequestAborted);
                await context.Response.Body.FlushAsync(context.RequestAborted);
                if (drop == 0)
                {
                    Interlocked.Increment(ref dripping);
                }

                await Task.Delay(100, context.RequestAborted);
            }
        });
        await using S3Sink sink = S3Sinks.Open(stub.Endpoint, Held(HeldAttempt * 2.5), time: _time);

        SinkResult result = await PassAttemptsAsync(StoreAsync(sink).AsTask(), () => Volatile.Read(ref dripping));

        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldContain("Timeout");
    }

    [Theory]
    [InlineData("AccessDenied", "s3:PutObject")]
    [InlineData("NoSuchBucket", "create it")]
    [InlineData("ExpiredToken", "expired")]
    public async Task Store_WorkerIsRefused_SaysWhatToDoAndDoesNotRetry(string fault, string advice)
    {
        _s3.Script = FaultScript.Empty.OnEveryPut(Enum.Parse<S3Fault>(fault));

        SinkResult result = await StoreAsync();

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain(fault);
        result.Detail!.ShouldContain(advice);
        result.Detail!.Length.ShouldBeLessThanOrEqualTo(256);
        _s3.History.Of().Length.ShouldBe(1);
    }

    [Fact]
    public async Task Store_DuplicateWithoutReadAccess_IsRefusedNotPoison()
    {
        (await StoreAsync()).ShouldBe(SinkResult.Stored);
        _s3.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.AccessDenied, Operation = S3Operation.HeadObject });

        SinkResult result = await StoreAsync();

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("s3:GetObject");
    }

    [Fact]
    public async Task Store_ObjectDeletedBetweenAnswerAndComparison_IsStored()
    {
        _s3.Objects.Put(Bucket, "k", [1]);
        _s3.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.None, Operation = S3Operation.HeadObject, Delay = TimeSpan.FromHours(1) });
        await using S3Sink sink = Open(new S3SinkOptions { Client = Client, Bucket = Bucket });

        Task<SinkResult> storing = StoreAsync(sink).AsTask();
        await _s3.History.WaitForAsync(exchange => exchange.Status == 412);
        _s3.Objects.Remove(Bucket, "k");
        _s3.EndDelays();

        (await storing).ShouldBe(SinkResult.Stored);
        _s3.Objects.Find(Bucket, "k")!.Body.ShouldBe(Body);
    }

    [Fact]
    public async Task Store_CancelledWhileHanging_ThrowsForThatTokenImmediately()
    {
        _s3.Script = FaultScript.Empty.OnEveryPut(S3Fault.HangBeforeCommit);
        await using S3Sink sink = Open(new S3SinkOptions { Client = Client, Bucket = Bucket });
        using CancellationTokenSource source = new();
        Task<SinkResult> storing = sink.StoreAsync("k"u8.ToArray(), Body, source.Token).AsTask();
        await _s3.History.WaitForAsync(exchange => exchange.Fault == S3Fault.HangBeforeCommit);

        await source.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(storing)).CancellationToken.ShouldBe(source.Token);
        _s3.History.Of().Length.ShouldBe(1);
    }

    [Fact]
    public async Task Store_BodyReusedAfterATimeout_NeverReachesTheStore()
    {
        // The store reads slowly: the SDK is still sending when the attempt's time ends.
        byte[] body = new byte[8 << 20];
        Array.Fill(body, (byte)'a');
        TaskCompletionSource began = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource release = new(TaskCreationOptions.RunContinuationsAsynchronously);
        long foreign = 0;
        await using StubServer stub = await StubServer.StartAsync(_ => Task.CompletedTask, async context =>
        {
            byte[] buffer = new byte[65_536];
            await context.Request.Body.ReadExactlyAsync(buffer.AsMemory(0, 1));
            began.TrySetResult();
            await release.Task;
            try
            {
                for (int read; (read = await context.Request.Body.ReadAsync(buffer)) > 0;)
                {
                    Interlocked.Add(ref foreign, buffer.AsSpan(0, read).Count((byte)'b'));
                }
            }
            catch (Exception exception) when (exception is IOException or OperationCanceledException)
            {
                // The client closed the connection, as it should.
            }
        });
        await using S3Sink sink = S3Sinks.Open(stub.Endpoint, Held(HeldAttempt), time: _time);

        Task<SinkResult> storing = sink.StoreAsync("k"u8.ToArray(), body, Token).AsTask();
        await began.Task;
        _time.Advance(HeldAttempt);
        (await storing).Status.ShouldBe(SinkStatus.Transient);
        Array.Fill(body, (byte)'b');
        release.SetResult();
        await stub.IdleAsync();

        Interlocked.Read(ref foreign).ShouldBe(0);
    }

    private S3SinkOptions Held(TimeSpan total, int maxAttempts = 3) => new()
    {
        Client = Client,
        Bucket = Bucket,
        ConnectTimeout = TimeSpan.FromMinutes(1),
        AttemptTimeout = HeldAttempt,
        TotalTimeout = total,
        MaxAttempts = maxAttempts,
    };

    /// <summary>Moves the clock past each attempt once its request is there, and in seconds while the next one is on its way.</summary>
    private async Task<SinkResult> PassAttemptsAsync(Task<SinkResult> storing, Func<int> requests)
    {
        int ended = 0;
        while (!storing.IsCompleted)
        {
            if (requests() > ended)
            {
                ended = requests();
                _time.Advance(HeldAttempt);
            }

            _time.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(5, Token);
        }

        return await storing;
    }

    private S3Sink Open(S3SinkOptions options) => S3Sinks.Open(_s3.Endpoint, options);

    private static ValueTask<SinkResult> StoreAsync(S3Sink sink, string key = "k") => sink.StoreAsync(Encoding.UTF8.GetBytes(key), Body, Token);

    private async Task<SinkResult> StoreAsync(S3SinkOptions? options = null)
    {
        await using S3Sink sink = Open(options ?? new S3SinkOptions
        {
            Client = Client,
            Bucket = Bucket,
            // Long enough for an answer from a busy machine, short enough to wait out a server that never answers.
            AttemptTimeout = TimeSpan.FromSeconds(2),
            TotalTimeout = TimeSpan.FromSeconds(20),
        });
        return await StoreAsync(sink);
    }
}
