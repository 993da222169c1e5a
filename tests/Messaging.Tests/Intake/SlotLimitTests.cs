using Quayside.Messaging.Intake;

namespace Messaging.Tests.Intake;

/// <summary>The number of messages in flight that is found with a store of known behaviour; time follows the store's events.</summary>
public sealed class SlotLimitTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly SlotRange Slots = new(Start: 64, Max: 1_000, Min: 4);

    [Fact]
    public void SlowStoreThatServesAny_AllSlotsAreInUseWithinTwoSeconds()
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20) };

        run.Run(2 * Second);

        run.Limit.Current.ShouldBe(1_000);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(100)]
    [InlineData(300)]
    public void StoreThatServesSomeConcurrently_ThroughputIsItsMaxAndFewWait(int capacity)
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20), Capacity = capacity };
        run.Run(5 * Second);

        (int min, int max) = run.Run(100 * Second);

        // A trial doubles or halves the limit for a moment.
        max.ShouldBeLessThanOrEqualTo(4 * capacity);
        min.ShouldBeGreaterThanOrEqualTo(64);
        run.Throughput.ShouldBeGreaterThan(0.9 * capacity / 0.02);
    }

    [Fact]
    public void StoreThatBecomesBusy_LimitReturnsToWhatIsOfUse()
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20) };
        run.Run(2 * Second);
        run.Capacity = 64;

        run.Run(120 * Second);

        run.Limit.Current.ShouldBeInRange(64, 256);
    }

    [Fact]
    public void NoisyStore_LimitStaysNearWhatIsOfUse()
    {
        Random random = new(1);
        SimulatedRun run =
            new(new SlotLimit(Slots, Second.Ticks)) { Latency = () => TimeSpan.FromMilliseconds(-20 * Math.Log(1 - random.NextDouble())), Capacity = 64 };
        List<int> limits = [];

        for (int i = 0; i < 300; i++)
        {
            run.Run(Second);
            limits.Add(run.Limit.Current);
        }

        limits.Count(limit => limit is >= 32 and <= 128).ShouldBeGreaterThan(240);
    }

    [Fact]
    public void Throttled_FallsOncePerRoundAndRecovers()
    {
        SlotLimit limit = new(new SlotRange(64, 64, 4), Second.Ticks);
        limit.Throttled(1);
        limit.Throttled(2);
        limit.Current.ShouldBe(44);

        SimulatedRun run = new(limit) { Latency = Milliseconds(20), Throttles = true };
        run.Run(10 * Second);
        limit.Current.ShouldBe(4);

        run.Throttles = false;
        run.Run(30 * Second);
        limit.Current.ShouldBe(64);
    }

    [Fact]
    public void ThrottledDuringATrial_EndsTheTrial()
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20) };
        while (run.Limit.Current == 64)
        {
            run.Run(Milliseconds(1)());
        }

        run.Limit.Current.ShouldBe(128);
        run.Limit.Throttled(run.Now);

        run.Limit.Current.ShouldBe(64);
    }

    [Fact]
    public void IdleSource_LimitReturnsToItsStart()
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20) };
        run.Run(2 * Second);

        // Each minute some polls return nothing.
        for (int minute = 1; minute <= 6; minute++)
        {
            run.Limit.Returned(100);
            run.Limit.Update(run.Now + (minute * (60 * Second).Ticks));
        }

        run.Limit.Current.ShouldBe(64);
    }

    [Fact]
    public void SourceThatWantsNoMore_LimitStays()
    {
        SimulatedRun run = new(new SlotLimit(Slots, Second.Ticks)) { Latency = Milliseconds(20), Demand = 64 };

        run.Run(60 * Second);

        run.Limit.Current.ShouldBe(64);
    }

    private static Func<TimeSpan> Milliseconds(double milliseconds) => () => TimeSpan.FromMilliseconds(milliseconds);

    /// <summary>A source with <see cref="Demand"/> messages at a time, and a store that serves <see cref="Capacity"/> of them concurrently.</summary>
    private sealed class SimulatedRun(SlotLimit limit)
    {
        private readonly PriorityQueue<long, long> _inFlight = new();
        private readonly PriorityQueue<long, long> _servers = new();
        private long _completed;
        private long _began;

        public SlotLimit Limit => limit;

        public long Now { get; private set; } = 1;

        public Func<TimeSpan> Latency { get; set; } = () => TimeSpan.FromMilliseconds(1);

        public int Capacity { get; set; } = int.MaxValue;

        public int Demand { get; set; } = int.MaxValue;

        public bool Throttles { get; set; }

        /// <summary>Messages per second of the last run.</summary>
        public double Throughput => _completed / TimeSpan.FromTicks(Now - _began).TotalSeconds;

        public (int Min, int Max) Run(TimeSpan length)
        {
            (_began, _completed) = (Now, 0);
            long end = Now + length.Ticks;
            (int min, int max) = (int.MaxValue, 0);
            Fill();
            while (_inFlight.TryPeek(out _, out long at) && at <= end)
            {
                _inFlight.Dequeue();
                Now = at;
                _completed++;
                limit.Finished(1);
                if (Throttles)
                {
                    limit.Throttled(Now);
                }

                Fill();
                limit.Update(Now);
                Fill();
                (min, max) = (Math.Min(min, limit.Current), Math.Max(max, limit.Current));
            }

            Now = end;
            return (min, max);
        }

        private void Fill()
        {
            while (_inFlight.Count < Math.Min(limit.Current, Demand))
            {
                // Served by the first free server.
                long begins = Now;
                if (Capacity < int.MaxValue)
                {
                    begins = _servers.Count < Capacity ? Now : Math.Max(Now, _servers.Dequeue());
                }

                long ends = begins + Latency().Ticks;
                if (Capacity < int.MaxValue)
                {
                    _servers.Enqueue(ends, ends);
                }

                _inFlight.Enqueue(ends, ends);
                limit.Accepted(1);
            }

            if (_inFlight.Count < Demand)
            {
                limit.Wanted();
            }
        }
    }
}
