using FsCheck;
using FsCheck.Fluent;
using Messaging.Aws.S3.Sink.Concurrency;

namespace Worker.Tests.Aws.S3.Concurrency;

/// <summary>The concurrency limit over simulated stores, event by event.</summary>
public sealed class AdaptiveConcurrencyTests
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan Latency = TimeSpan.FromMilliseconds(40);

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(32)]
    public void Limit_LatencyRisesWithConcurrency_SettlesAroundTheCapacity(int capacity)
    {
        ConcurrencyLimiter limiter = Limiter(4, 200);
        SimulatedStore store = new(limiter) { Capacity = capacity, Demand = 200 };
        store.Run(Minute);

        long before = store.Completed;
        (int least, int largest) = store.Run(10 * Minute);

        // Never so low that the store idles, and always fewer queued requests than served ones.
        least.ShouldBeGreaterThanOrEqualTo(capacity);
        largest.ShouldBeLessThanOrEqualTo((int)(1.75 * capacity) + 1);
        (store.Completed - before).ShouldBeGreaterThan((long)(0.99 * capacity * 600 / 0.04));
    }

    [Fact]
    public void Limit_StoreWithSpreadButEnoughCapacity_StaysNearTheMaximum()
    {
        // Lognormal with sigma 0.6, like S3's latency: noise must not count as load.
        Random random = new(42);
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter) { Capacity = 1_000, Spread = () => Math.Exp(0.6 * Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble())) };
        store.Run(Minute);

        store.Run(10 * Minute).Least.ShouldBeGreaterThanOrEqualTo(32);
    }

    [Fact]
    public void Limit_StoreRecovers_ReturnsToTheMaximum()
    {
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter) { Capacity = 8 };
        store.Run(Minute);
        limiter.Limit.ShouldBeLessThanOrEqualTo(15);

        store.Capacity = 1_000;
        store.Run(Minute);

        limiter.Limit.ShouldBe(64);
    }

    [Fact]
    public void Limit_StoreGetsSlowerAtAnyLoad_ReturnsToTheMaximum()
    {
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter) { Capacity = 1_000 };
        store.Run(Minute);
        limiter.Limit.ShouldBe(64);

        // Permanently: the latency floor of the fast store must not keep the limit low for ever.
        store.Service = 3 * Latency;
        int least = store.Run(Minute).Least;

        least.ShouldBeInRange(20, 36);
        limiter.Limit.ShouldBe(64);
    }

    [Fact]
    public void Limit_StoreGetsSlowerAtTheMinimum_RisesAgain()
    {
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter) { Capacity = 1_000 };
        store.Run(TimeSpan.FromMilliseconds(170));
        limiter.Limit.ShouldBeLessThan(16);

        store.Service = 10 * Latency;
        store.Run(10 * Minute);

        limiter.Limit.ShouldBe(64);
    }

    [Fact]
    public void Limit_SizesFarApart_DoNotCountAsSlowness()
    {
        // Small objects first, then large ones that take ten times as long: another size class, with its own latency floor.
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter)
        {
            Capacity = 1_000,
            Bytes = order => order % 5_000 < 2_500 ? 1_024 : 1 << 20,
            Transfer = bytes => bytes > 4_096 ? 9 * Latency : TimeSpan.Zero,
        };
        store.Run(Minute);

        store.Run(10 * Minute).Least.ShouldBe(64);
    }

    [Fact]
    public void Release_BurstOfThrottling_LowersOnce()
    {
        ConcurrencyLimiter limiter = AtMost(64);
        Permit[] burst = [.. Enumerable.Range(0, 64).Select(_ => Take(limiter))];

        Release(limiter, burst, RequestOutcome.Overloaded);

        limiter.Limit.ShouldBe(44);

        // The next round can lower it again.
        Release(limiter, [.. Enumerable.Range(0, 44).Select(_ => Take(limiter))], RequestOutcome.Overloaded);
        limiter.Limit.ShouldBe(31);
    }

    [Fact]
    public void Release_NeutralEnds_ChangeNothing()
    {
        ConcurrencyLimiter limiter = AtMost(64);

        for (int round = 0; round < 10; round++)
        {
            Release(limiter, [.. Enumerable.Range(0, 64).Select(_ => Take(limiter))], RequestOutcome.Neutral, 50 * Latency);
        }

        limiter.Limit.ShouldBe(64);
    }

    [Fact]
    public void Limit_Idle_DoesNotGrow()
    {
        ConcurrencyLimiter limiter = Limiter(4, 64);
        SimulatedStore store = new(limiter) { Capacity = 1_000, Demand = 3 };

        store.Run(10 * Minute);

        limiter.Limit.ShouldBe(4);
    }

    [Fact]
    public void Limit_SlowWhileNotUsed_DoesNotFall()
    {
        ConcurrencyLimiter limiter = AtMost(64);
        SimulatedStore store = new(limiter) { Capacity = 1_000, Demand = 10, Service = 20 * Latency };

        store.Run(10 * Minute);

        limiter.Limit.ShouldBe(64);
    }

    [Fact]
    public void Limit_MinimumAboveTheMaximum_IsTheMaximum() => Limiter(10, 3).Limit.ShouldBe(3);

    [Fact]
    public void Limit_MinimumIsTheMaximum_NeverMoves()
    {
        ConcurrencyLimiter limiter = Limiter(8, 8);
        SimulatedStore store = new(limiter) { Capacity = 1, Outcome = order => (RequestOutcome)(order % 3) };

        store.Run(Minute).ShouldBe((8, 8));
    }

    [Fact]
    public void Limit_RandomOutcomes_StaysWithinItsRange()
    {
        Gen<(int Min, int Max, int[] Script)> cases = Gen.Choose(1, 40).SelectMany(min => Gen.Choose(min, 120).SelectMany(max =>
            Gen.Choose(0, 3_000).ArrayOf(300).Select(script => (min, max, script))));
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(200), Prop.ForAll(cases.ToArbitrary(), run =>
        {
            ConcurrencyLimiter limiter = Limiter(run.Min, run.Max);
            Queue<Permit> held = new();
            foreach (int step in run.Script)
            {
                for (int i = 0; i < step % 100; i++)
                {
                    if (limiter.AcquireAsync(TimeSpan.Zero, default).Result is { IsConfigured: true } permit)
                    {
                        held.Enqueue(permit);
                    }
                }

                held.Count.ShouldBeLessThanOrEqualTo(run.Max);
                for (int i = 0; i < step % 71 && held.TryDequeue(out Permit permit); i++)
                {
                    // Mostly successes, of any size and duration.
                    RequestOutcome outcome = step % 17 == 0 ? RequestOutcome.Overloaded : step % 7 == 0 ? RequestOutcome.Neutral : RequestOutcome.Succeeded;
                    limiter.Release(permit, outcome, step << (step % 20), TimeSpan.FromMilliseconds(step));
                    limiter.Limit.ShouldBeInRange(run.Min, run.Max);
                }
            }

            limiter.InFlight.ShouldBe(held.Count);
        }));
    }

    private static ConcurrencyLimiter Limiter(int min, int max) => new(min, max, new ManualTimeProvider());

    /// <summary>A limiter that a fast store has raised to its maximum.</summary>
    private static ConcurrencyLimiter AtMost(int max)
    {
        ConcurrencyLimiter limiter = Limiter(4, max);
        new SimulatedStore(limiter) { Capacity = 1_000, Demand = max }.Run(Minute, thenEnd: true);
        limiter.Limit.ShouldBe(max);
        limiter.InFlight.ShouldBe(0);
        return limiter;
    }

    private static Permit Take(ConcurrencyLimiter limiter)
    {
        Permit permit = limiter.AcquireAsync(TimeSpan.Zero, default).Result;
        permit.IsConfigured.ShouldBeTrue();
        return permit;
    }

    private static void Release(ConcurrencyLimiter limiter, Permit[] permits, RequestOutcome outcome, TimeSpan? latency = null)
    {
        foreach (Permit permit in permits)
        {
            limiter.Release(permit, outcome, 1_024, latency ?? Latency);
        }
    }
}
