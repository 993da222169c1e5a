namespace Quayside.Messaging.Testing;

/// <summary>A clock that stands still until a test moves it. Timers, periodic ones too, fire in order while it moves. Threads: any.</summary>
/// <param name="start">The initial time; null for the first moment of 2026.</param>
public sealed class ManualTimeProvider(DateTimeOffset? start = null) : TimeProvider
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly Lock _lock = new();
    private readonly List<ManualTimer> _timers = [];
    // Completed and replaced under the lock whenever a timer is armed.
    private TaskCompletionSource _armed = NewSignal();
    private DateTimeOffset _now = start ?? new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <inheritdoc/>
    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>Timers that are armed.</summary>
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

    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow()
    {
        lock (_lock)
        {
            return _now;
        }
    }

    /// <inheritdoc/>
    public override long GetTimestamp() => GetUtcNow().UtcTicks;

    /// <inheritdoc/>
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ManualTimer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    /// <summary>Moves the clock and runs the callbacks that become due, on this thread, in order, each at its own time.</summary>
    public void Advance(TimeSpan by)
    {
        DateTimeOffset end = GetUtcNow() + by;
        while (NextDue(end) is { } timer)
        {
            timer.Fire();
        }
    }

    /// <summary>Waits until at least <paramref name="count"/> timers are armed: until the code under test waits for the clock.</summary>
    /// <exception cref="TimeoutException">They were not armed within 60 s.</exception>
    public async Task WaitForTimersAsync(int count)
    {
        while (true)
        {
            Task armed;
            lock (_lock)
            {
                if (_timers.Count >= count)
                {
                    return;
                }

                armed = _armed.Task;
            }

            await armed.WaitAsync(Limit);
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

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

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
                    time._armed.SetResult();
                    time._armed = NewSignal();
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
