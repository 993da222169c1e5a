namespace Worker.Tests;

/// <summary>A clock that stands still until a test moves it. Timers, periodic ones too, fire in order while it moves. Threads: any.</summary>
/// <param name="start">What it shows at first; without it the first moment of 2026.</param>
internal sealed class ManualTimeProvider(DateTimeOffset? start = null) : TimeProvider
{
    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    private DateTimeOffset _now = start ?? new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Timers that wait for their time.</summary>
    public int ArmedTimers
    {
        get
        {
            lock (_lock)
            {
                return _timers.Count;
            }
        }
    }

    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock)
        {
            return _now;
        }
    }

    public override long GetTimestamp() => GetUtcNow().UtcTicks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ManualTimer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock and runs on this thread what becomes due, at its own time and in order.</summary>
    public void Advance(TimeSpan by)
    {
        DateTimeOffset end = GetUtcNow() + by;
        while (NextDue(end) is { } timer)
        {
            timer.Fire();
        }
    }

    /// <summary>Waits until somebody has armed so many timers: until the code under test waits.</summary>
    public async Task WaitForTimersAsync(int count)
    {
        using CancellationTokenSource patience = new(TimeSpan.FromSeconds(60));
        while (ArmedTimers < count)
        {
            await Task.Delay(1, patience.Token);
        }
    }

    private ManualTimer? NextDue(DateTimeOffset end)
    {
        lock (_lock)
        {
            ManualTimer? next = _timers.Where(timer => timer.Due <= end).MinBy(timer => timer.Due);
            _now = next is null ? end : next.Due > _now ? next.Due : _now;
            if (next is { Period: var period } && period != Timeout.InfiniteTimeSpan)
            {
                next.Due += period;
            }
            else if (next is not null)
            {
                _timers.Remove(next);
            }

            return next;
        }
    }

    private sealed class ManualTimer(ManualTimeProvider time, TimerCallback callback, object? state) : ITimer
    {
        public DateTimeOffset Due { get; set; }

        public TimeSpan Period { get; private set; }

        public void Fire() => callback(state);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._lock)
            {
                time._timers.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = time._now + dueTime;
                    Period = period == TimeSpan.Zero ? Timeout.InfiniteTimeSpan : period;
                    time._timers.Add(this);
                }
            }

            return true;
        }

        public void Dispose()
        {
            lock (time._lock)
            {
                time._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
