using Messaging.Aws.S3;
using Messaging.Aws.S3.Sink;
using Messaging.Sinks;
using Microsoft.Extensions.Logging.Abstractions;

namespace Worker.Tests.Aws.S3.Concurrency;

/// <summary>The sink and the limit: which requests need a permit, what counts as overload, and that every permit is returned.</summary>
public sealed class S3SinkConcurrencyTests
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public async Task Store_MoreThanTheLimit_HasTheLimitInFlight()
    {
        HeldRequests requests = new();
        await using S3Sink sink = Open(requests, min: 3, max: 3);

        Task<SinkResult>[] stores = [.. Enumerable.Range(0, 10).Select(_ => StoreAsync(sink))];
        (sink.Concurrency.InFlight, sink.Concurrency.Waiting).ShouldBe((3, 7));
        await requests.AnswerAllAsync(10);

        (await Task.WhenAll(stores)).ShouldAllBe(result => result == SinkResult.Stored);
        requests.Peak.ShouldBe(3);
        sink.Concurrency.InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Store_NoPermitWithinTheTotalTime_IsTransientAndSendsNothing()
    {
        HeldRequests requests = new();
        await using S3Sink sink = Open(requests, min: 1, max: 1);
        Task<SinkResult> first = StoreAsync(sink);
        Task<SinkResult> second = StoreAsync(sink);

        _time.Advance(TimeSpan.FromSeconds(21));

        SinkResult result = await second;
        result.Status.ShouldBe(SinkStatus.Transient);
        result.Detail!.ShouldContain("NoPermitWithinTotalTimeout");
        requests.Sent.ShouldBe(1);
        await requests.AnswerAllAsync(1);
        (await first).ShouldBe(SinkResult.Stored);
        (sink.Concurrency.InFlight, sink.Concurrency.Waiting).ShouldBe((0, 0));
    }

    [Fact]
    public async Task Store_ClientThrows_ReleasesThePermit()
    {
        await using S3Sink sink = Open(new HeldRequests(new InvalidOperationException("defect")), min: 1, max: 1);

        for (int i = 0; i < 3; i++)
        {
            await Should.ThrowAsync<InvalidOperationException>(StoreAsync(sink));

            // Checked in each round: after a leak the next store would wait for ever.
            sink.Concurrency.InFlight.ShouldBe(0);
        }
    }

    [Fact]
    public async Task Store_BackingOff_HoldsNoPermit()
    {
        // A minimum delay: a random delay below a millisecond would use no timer.
        HeldRequests requests = new() { Answer = new S3Fault(S3FaultKind.Transient, "SlowDown", 503, RetryAfter: TimeSpan.FromMilliseconds(500)) };
        await using S3Sink sink = Open(requests, min: 1, max: 1);
        Task<SinkResult> store = StoreAsync(sink);
        await requests.AnswerAllAsync(1);
        await _time.WaitForTimersAsync(1);

        sink.Concurrency.InFlight.ShouldBe(0);

        requests.Answer = default;
        _time.Advance(TimeSpan.FromSeconds(1));
        await requests.AnswerAllAsync(1);
        (await store).ShouldBe(SinkResult.Stored);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Store_AllObjectsExist_TheLimitStillGrows(bool conditional)
    {
        // A replay: each PUT gets 412, or each comparison finds the object, and no PUT succeeds.
        HeldRequests requests = new() { Answer = new S3Fault(S3FaultKind.Exists, "PreconditionFailed", 412) };
        await using S3Sink sink = Open(requests, min: 4, max: 64, conditional);

        Task<SinkResult>[] stores = [.. Enumerable.Range(0, 1_000).Select(_ => StoreAsync(sink))];
        await requests.AnswerAllAsync(conditional ? 2_000 : 1_000);

        (await Task.WhenAll(stores)).ShouldAllBe(result => result == SinkResult.AlreadyStored);
        sink.Concurrency.Limit.ShouldBe(64);
        sink.Concurrency.InFlight.ShouldBe(0);
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
    [InlineData("NoPermitWithinTotalTimeout", 0, false)]
    public void IsOverload_EachAnswer_IsClassified(string code, int status, bool expected)
    {
        S3Fault fault = status == 0 ? new S3Fault(S3FaultKind.Transient, code) : S3Faults.OfAnswer(status, code, null, null, null);

        S3Faults.IsOverload(fault).ShouldBe(expected);
    }

    private S3Sink Open(IS3Requests requests, int min, int max, bool conditional = true) => new(
        new S3SinkOptions { Bucket = "archive", MinConcurrency = min, MaxConcurrency = max, Conditional = conditional },
        requests,
        new SinkServices(null!, NullLoggerFactory.Instance, _time));

    private static async Task<SinkResult> StoreAsync(S3Sink sink) => await sink.StoreAsync("k"u8.ToArray(), new byte[1], TestContext.Current.CancellationToken);

    /// <summary>A client whose PUTs and comparisons wait until a test answers them; a comparison always finds an equal object.</summary>
    private sealed class HeldRequests(Exception? thrown = null) : IS3Requests
    {
        private readonly Lock _lock = new();
        private readonly Queue<TaskCompletionSource<S3Fault>> _held = new();
        private int _inFlight;

        public S3Fault Answer { get; set; }

        public int Sent { get; private set; }

        public int Peak { get; private set; }

        public async ValueTask<S3Fault> PutAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
        {
            Task<S3Fault> answer = HoldAsync();
            return thrown is null ? await answer : throw thrown;
        }

        public async Task AnswerAllAsync(int count)
        {
            while (count > 0)
            {
                TaskCompletionSource<S3Fault>? answer;
                lock (_lock)
                {
                    if (_held.TryDequeue(out answer))
                    {
                        _inFlight--;
                        count--;
                    }
                }

                answer?.SetResult(Answer);
                await Task.Yield();
            }
        }

        public async ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
            ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
        {
            await HoldAsync();
            return (default, S3Operations.Head, true);
        }

        public ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken) => throw new NotSupportedException();

        public ValueTask<bool> RefreshCredentialsAsync(S3Fault fault, TimeSpan limit, CancellationToken cancellationToken) => throw new NotSupportedException();

        public void Dispose()
        {
        }

        private Task<S3Fault> HoldAsync()
        {
            TaskCompletionSource<S3Fault> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_lock)
            {
                Sent++;
                Peak = Math.Max(Peak, ++_inFlight);
                _held.Enqueue(answer);
            }

            return answer.Task;
        }
    }
}
