using Messaging.Aws.S3.Sink.Concurrency;

namespace Worker.Tests.Aws.S3.Concurrency;

/// <summary>Waiting for a permit: order, cancellation, timeout, and that no permit is lost.</summary>
public sealed class ConcurrencyLimiterTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly ManualTimeProvider _time = new();

    [Fact]
    public async Task Acquire_NoneFree_IsServedInOrder()
    {
        ConcurrencyLimiter limiter = new(1, 1, _time);
        Permit held = await limiter.AcquireAsync(Patience, default);
        Task<Permit> first = limiter.AcquireAsync(Patience, default).AsTask();
        Task<Permit> second = limiter.AcquireAsync(Patience, default).AsTask();
        limiter.Waiting.ShouldBe(2);

        Release(limiter, held);
        Permit next = await first;
        second.IsCompleted.ShouldBeFalse();
        Release(limiter, next);
        Release(limiter, await second);

        (limiter.InFlight, limiter.Waiting, _time.ArmedTimers).ShouldBe((0, 0, 0));
    }

    [Fact]
    public async Task Acquire_OthersWait_DoesNotOvertakeThem()
    {
        // A lowered limit leaves more requests in flight than it allows; when it rises again, the waiting callers are served.
        ConcurrencyLimiter limiter = new(1, 1, _time);
        Permit held = await limiter.AcquireAsync(Patience, default);
        Task<Permit> waiting = limiter.AcquireAsync(Patience, default).AsTask();
        Release(limiter, held);

        // The release gives the permit to the waiter under the same lock, so a new caller finds none.
        (await limiter.AcquireAsync(TimeSpan.Zero, default)).IsConfigured.ShouldBeFalse();
        Release(limiter, await waiting);
    }

    [Fact]
    public async Task Acquire_CancelledWhileWaiting_ThrowsAndLosesNoPermit()
    {
        ConcurrencyLimiter limiter = new(1, 1, _time);
        Permit held = await limiter.AcquireAsync(Patience, default);
        using CancellationTokenSource source = new();
        Task<Permit> cancelled = limiter.AcquireAsync(Patience, source.Token).AsTask();
        Task<Permit> patient = limiter.AcquireAsync(Patience, default).AsTask();

        await source.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(cancelled)).CancellationToken.ShouldBe(source.Token);
        (limiter.InFlight, limiter.Waiting).ShouldBe((1, 1));
        Release(limiter, held);
        Release(limiter, await patient);
        (limiter.InFlight, limiter.Waiting, _time.ArmedTimers).ShouldBe((0, 0, 0));
    }

    [Fact]
    public async Task Acquire_CancelledBefore_Throws()
    {
        ConcurrencyLimiter limiter = new(1, 1, _time);
        Permit held = await limiter.AcquireAsync(Patience, default);

        await Should.ThrowAsync<OperationCanceledException>(async () => await limiter.AcquireAsync(Patience, new CancellationToken(canceled: true)));

        Release(limiter, held);
        (limiter.InFlight, limiter.Waiting).ShouldBe((0, 0));
    }

    [Fact]
    public async Task Acquire_TimeoutEnds_GetsNone()
    {
        ConcurrencyLimiter limiter = new(1, 1, _time);
        Permit held = await limiter.AcquireAsync(Patience, default);
        Task<Permit> brief = limiter.AcquireAsync(TimeSpan.FromSeconds(1), default).AsTask();
        Task<Permit> patient = limiter.AcquireAsync(Patience, default).AsTask();

        _time.Advance(TimeSpan.FromSeconds(2));

        (await brief).IsConfigured.ShouldBeFalse();
        Release(limiter, held);
        Release(limiter, await patient);
        limiter.InFlight.ShouldBe(0);
    }

    [Fact]
    public async Task Release_LimitFell_ServesNoWaiterUntilEnoughAreReleased()
    {
        ConcurrencyLimiter limiter = new(1, 16, _time);
        await GrowAsync(limiter, 16);
        Permit[] held = await TakeAsync(limiter, 16);
        Task<Permit> waiting = limiter.AcquireAsync(Patience, default).AsTask();

        limiter.Release(held[0], RequestOutcome.Overloaded, 1, TimeSpan.Zero);
        limiter.Limit.ShouldBe(11);
        for (int i = 1; i < 5; i++)
        {
            Release(limiter, held[i]);
        }

        limiter.InFlight.ShouldBe(11);
        waiting.IsCompleted.ShouldBeFalse();
        Release(limiter, held[5]);
        (await waiting).IsConfigured.ShouldBeTrue();
    }

    [Fact]
    public async Task Acquire_ManyThreadsWithCancellationsAndTimeouts_LoseNoPermit()
    {
        ConcurrencyLimiter limiter = new(2, 8, TimeProvider.System);
        int most = 0;
        await Task.WhenAll(Enumerable.Range(0, 32).Select(worker => Task.Run(async () =>
        {
            Random random = new(worker);
            for (int i = 0; i < 1_000; i++)
            {
                using CancellationTokenSource source = new();
                if (random.Next(4) == 0)
                {
                    source.CancelAfter(TimeSpan.FromMicroseconds(random.Next(2_000)));
                }

                try
                {
                    Permit permit = await limiter.AcquireAsync(TimeSpan.FromMilliseconds(random.Next(1, 200)), source.Token);
                    if (permit.IsConfigured)
                    {
                        InterlockedMax(ref most, limiter.InFlight);
                        await Task.Yield();
                        limiter.Release(permit, (RequestOutcome)random.Next(3), 1, TimeSpan.FromMilliseconds(random.Next(50)));
                    }
                }
                catch (OperationCanceledException exception) when (exception.CancellationToken == source.Token)
                {
                }
            }
        })));

        (limiter.InFlight, limiter.Waiting).ShouldBe((0, 0));
        most.ShouldBeInRange(2, 8);

        // Every permit is still available.
        (await TakeAsync(limiter, limiter.Limit)).ShouldAllBe(permit => permit.IsConfigured);
    }

    private static void Release(ConcurrencyLimiter limiter, Permit permit) => limiter.Release(permit, RequestOutcome.Neutral, 1, TimeSpan.Zero);

    private static async Task<Permit[]> TakeAsync(ConcurrencyLimiter limiter, int count)
    {
        Permit[] permits = new Permit[count];
        for (int i = 0; i < count; i++)
        {
            permits[i] = await limiter.AcquireAsync(TimeSpan.Zero, default);
        }

        return permits;
    }

    private static async Task GrowAsync(ConcurrencyLimiter limiter, int limit)
    {
        // The limit grows because it is always fully used: a request ends, others begin.
        Queue<Permit> held = new();
        while (limiter.Limit < limit)
        {
            while (await limiter.AcquireAsync(TimeSpan.Zero, default) is { IsConfigured: true } permit)
            {
                held.Enqueue(permit);
            }

            limiter.Release(held.Dequeue(), RequestOutcome.Succeeded, 1, TimeSpan.Zero);
        }

        while (held.TryDequeue(out Permit permit))
        {
            Release(limiter, permit);
        }
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen && Interlocked.CompareExchange(ref most, value, seen) is var now && now != seen)
        {
            seen = now;
        }
    }
}
