using System.Collections.Concurrent;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

public sealed class RetryBehaviorTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly RecoverabilityOptions _options = new() { Attempts = 3 };
    private readonly CircuitBreaker _breaker;
    private readonly RetryBehavior<MessageContext> _retry;
    private readonly MessageContext _context = new();

    public RetryBehaviorTests()
    {
        _breaker = new CircuitBreaker("test", _options, _time, NullLogger.Instance);
        _retry = new RetryBehavior<MessageContext>(_options, _breaker, _time);
    }

    [Fact]
    public void Invoke_SucceedsImmediately_CompletesSynchronously()
    {
        ScriptedNext next = new((_, _) => default);

        _retry.InvokeAsync(_context, next).IsCompletedSuccessfully.ShouldBeTrue();

        next.Attempts.ShouldBe(1);
        _time.ArmedTimers.ShouldBe(0);
    }

    [Theory]
    [InlineData(Throwing.InTheCall)]
    [InlineData(Throwing.InTheTask)]
    [InlineData(Throwing.AfterAHop)]
    public async Task Invoke_FailsTwiceThenSucceeds_ThreeAttempts(Throwing throwing)
    {
        ScriptedNext next = new((attempt, _) => attempt < 3 ? Throw(throwing, new TransientException("x")) : default);

        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await RunWaitsAsync(running);

        await running;
        next.Attempts.ShouldBe(3);
    }

    [Theory]
    [InlineData(Throwing.InTheCall)]
    [InlineData(Throwing.InTheTask)]
    [InlineData(Throwing.AfterAHop)]
    public async Task Invoke_FailsAlways_ThrowsTheLastFaultAfterAllAttempts(Throwing throwing)
    {
        ConcurrentQueue<TransientException> faults = [];
        ScriptedNext next = new((attempt, _) =>
        {
            TransientException fault = new($"attempt {attempt}");
            faults.Enqueue(fault);
            return Throw(throwing, fault);
        });

        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await RunWaitsAsync(running);

        (await Should.ThrowAsync<TransientException>(running)).ShouldBeSameAs(faults.ElementAt(2));
        next.Attempts.ShouldBe(3);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Invoke_TransientAsAValue_IsRetriedAndTheLastStands(bool hops)
    {
        ScriptedNext next = new(async (attempt, context) =>
        {
            if (hops)
            {
                await Task.Yield();
            }

            context.Settlement.IsDecided.ShouldBeFalse();
            context.Settlement = Settlement.Transient($"attempt {attempt}");
        });

        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await RunWaitsAsync(running);

        await running;
        next.Attempts.ShouldBe(3);
        _context.Settlement.ShouldBe(Settlement.Transient("attempt 3"));
    }

    public static TheoryData<Settlement> Final =>
    [
        default(Settlement), Settlement.Complete, Settlement.DeadLetter("bad", "x"), Settlement.Abandon(TimeSpan.Zero), Settlement.Refused("x"),
        Settlement.Transient("x", retryInProcess: false), Settlement.Transient("x", TimeSpan.FromMinutes(1)),
    ];

    [Theory]
    [MemberData(nameof(Final))]
    public async Task Invoke_SettlementNotRetriedInProcess_Stands(Settlement settlement)
    {
        ScriptedNext next = new((_, context) =>
        {
            context.Settlement = settlement;
            return default;
        });

        await _retry.InvokeAsync(_context, next);

        next.Attempts.ShouldBe(1);
        _context.Settlement.ShouldBe(settlement);
    }

    [Fact]
    public async Task Invoke_OneAttemptConfigured_NeverRetries()
    {
        RetryBehavior<MessageContext> once = new(new RecoverabilityOptions { Attempts = 1 }, _breaker, _time);
        ScriptedNext next = new((_, _) => throw new TransientException("x"));

        await Should.ThrowAsync<TransientException>(async () => await once.InvokeAsync(_context, next));

        next.Attempts.ShouldBe(1);
    }

    public static TheoryData<Exception> NotRetried =>
    [
        new DeadLetterException("bad", "x"),
        new ServiceRefusedException("x"),
        new InvalidOperationException("x"),
        new OperationCanceledException("x"),
        new TransientException("x", retryInProcess: false),
        new TransientException("x", retryAfter: TimeSpan.FromMinutes(1)),
    ];

    [Theory]
    [MemberData(nameof(NotRetried))]
    public async Task Invoke_FaultNotRetriedInProcess_IsThrownImmediately(Exception fault)
    {
        foreach (Throwing throwing in Enum.GetValues<Throwing>())
        {
            ScriptedNext next = new((_, _) => Throw(throwing, fault));

            (await Record.ExceptionAsync(async () => await _retry.InvokeAsync(_context, next))).ShouldBeSameAs(fault);

            next.Attempts.ShouldBe(1);
            _time.ArmedTimers.ShouldBe(0);
        }
    }

    [Fact]
    public async Task Invoke_BreakerOpensWithTheFault_DoesNotRetry()
    {
        ScriptedNext next = new((_, _) =>
        {
            _breaker.Refused("down");
            throw new TransientException("x");
        });

        await Should.ThrowAsync<TransientException>(async () => await _retry.InvokeAsync(_context, next));

        next.Attempts.ShouldBe(1);
    }

    [Fact]
    public async Task Invoke_RetryAfter_IsWaitedForInFull()
    {
        ScriptedNext next = new((attempt, _) => attempt == 1 ? throw new TransientException("x", TimeSpan.FromSeconds(15)) : default);
        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await _time.WaitForTimersAsync(1);

        _time.Advance(TimeSpan.FromMilliseconds(14_999));
        next.Attempts.ShouldBe(1);
        running.IsCompleted.ShouldBeFalse();
        _time.Advance(TimeSpan.FromMilliseconds(1));

        await running.WaitAsync(TimeSpan.FromSeconds(60));
        next.Attempts.ShouldBe(2);
    }

    [Fact]
    public async Task Invoke_Waits_StayWithinTheDoublingBounds()
    {
        TimeSpan longest = TimeSpan.Zero;
        for (int round = 0; round < 50; round++)
        {
            ConcurrentQueue<DateTimeOffset> times = [];
            ScriptedNext next = new((_, _) =>
            {
                times.Enqueue(_time.GetUtcNow());
                throw new TransientException("x");
            });
            Task running = _retry.InvokeAsync(_context, next).AsTask();
            await RunWaitsAsync(running, TimeSpan.FromMilliseconds(1));
            await Should.ThrowAsync<TransientException>(running);

            // The clock moves in steps of a millisecond, so measured times do too.
            DateTimeOffset[] at = [.. times];
            (at[1] - at[0]).ShouldBeLessThanOrEqualTo(_options.BackoffBase + TimeSpan.FromMilliseconds(1));
            (at[2] - at[1]).ShouldBeLessThanOrEqualTo((_options.BackoffBase * 2) + TimeSpan.FromMilliseconds(1));
            longest = at[2] - at[1] > longest ? at[2] - at[1] : longest;
        }

        // Each is longer with a probability of a half, so one of 50 is.
        longest.ShouldBeGreaterThan(_options.BackoffBase);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Invoke_CancelledDuringTheWait_EndsImmediatelyWithTheLastFault(bool throws)
    {
        using CancellationTokenSource source = new();
        _context.CancellationToken = source.Token;
        Settlement fault = Settlement.Transient("x", TimeSpan.FromSeconds(10));
        TransientException exception = new("x", TimeSpan.FromSeconds(10));
        ScriptedNext next = new((_, context) =>
        {
            context.Settlement = fault;
            return throws ? throw exception : default;
        });
        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await _time.WaitForTimersAsync(1);

        await source.CancelAsync();

        (await Record.ExceptionAsync(() => running)).ShouldBeSameAs(throws ? exception : null);
        _context.Settlement.ShouldBe(fault);
        next.Attempts.ShouldBe(1);
    }

    [Fact]
    public async Task Invoke_FailedAttemptHadDecided_TheDecisionIsDiscarded()
    {
        ConcurrentQueue<Settlement> found = [];
        ScriptedNext next = new((attempt, context) =>
        {
            found.Enqueue(context.Settlement);
            context.Settlement = Settlement.Complete;
            return attempt == 1 ? throw new TransientException("x") : default;
        });

        Task running = _retry.InvokeAsync(_context, next).AsTask();
        await RunWaitsAsync(running);

        await running;
        found.ShouldBe([default, default]);
        _context.Settlement.ShouldBe(Settlement.Complete);
    }

    private static ValueTask Throw(Throwing throwing, Exception exception) => throwing switch
    {
        Throwing.InTheCall => throw exception,
        Throwing.InTheTask => ValueTask.FromException(exception),
        _ => ThrowLaterAsync(exception),
    };

    private static async ValueTask ThrowLaterAsync(Exception exception)
    {
        await Task.Yield();
        throw exception;
    }

    /// <summary>Moves the clock whenever a timer is armed, until the task has completed.</summary>
    private async Task RunWaitsAsync(Task running, TimeSpan? step = null)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (!running.IsCompleted)
        {
            if (_time.ArmedTimers > 0)
            {
                _time.Advance(step ?? _options.BackoffCap);
            }

            await Task.Yield();
            limit.Token.ThrowIfCancellationRequested();
        }
    }

    public enum Throwing
    {
        InTheCall,
        InTheTask,
        AfterAHop,
    }

    private sealed class ScriptedNext(Func<int, MessageContext, ValueTask> body) : Next<MessageContext>
    {
        public int Attempts { get; private set; }

        public override ValueTask InvokeAsync(MessageContext context) => body(++Attempts, context);
    }
}
