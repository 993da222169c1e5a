namespace Proof.Simulation;

/// <summary>The clock that one worker process sees; after its death none of its timers fires.</summary>
internal sealed class ProcessTime(SimulatedTime time) : TimeProvider
{
    public bool IsAlive { get; set; } = true;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => SimulatedTime.Start + TimeSpan.FromTicks(time.Now) + time.WallOffset;

    public override long GetTimestamp() => time.Now;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        ProcessTimer timer = new(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    private void Schedule(TimeSpan after, Action action) => time.Schedule(after, () =>
    {
        if (IsAlive)
        {
            action();
        }
    });

    private sealed class ProcessTimer(ProcessTime owner, TimerCallback callback, object? state) : ITimer
    {
        private int _arming;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            _arming++;
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                Arm(dueTime, period, _arming);
            }

            return true;
        }

        public void Dispose() => _arming++;

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }

        private void Arm(TimeSpan after, TimeSpan period, int arming) => owner.Schedule(after, () =>
        {
            if (arming != _arming)
            {
                return;
            }

            if (period > TimeSpan.Zero)
            {
                Arm(period, period, arming);
            }

            callback(state);
        });
    }
}
