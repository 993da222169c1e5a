namespace Proof.Simulation;

/// <summary>The clock of a simulated world: time jumps to the next event that is due, which then runs. Threads: the simulation's only one.</summary>
internal sealed class SimulatedTime
{
    private readonly PriorityQueue<Action, (long Due, long Number)> _events = new();
    private long _number;

    /// <summary>Ticks since the start of the world.</summary>
    public long Now { get; private set; }

    /// <summary>How far the wall clock is set forward; timers and durations ignore it.</summary>
    public TimeSpan WallOffset { get; set; }

    public static DateTimeOffset Start { get; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public void Schedule(TimeSpan after, Action action) => _events.Enqueue(action, (Now + Math.Max(0, after.Ticks), _number++));

    /// <summary>True when an event is due within the time.</summary>
    public bool IsDue(TimeSpan within) => _events.TryPeek(out _, out (long Due, long Number) next) && next.Due <= Now + within.Ticks;

    /// <summary>Jumps to the next event and runs it.</summary>
    /// <returns>False when none is due until <paramref name="end"/>; the time is <paramref name="end"/> then.</returns>
    public bool RunNext(TimeSpan end)
    {
        if (!_events.TryPeek(out Action? action, out (long Due, long Number) next) || next.Due > end.Ticks)
        {
            Now = end.Ticks;
            return false;
        }

        _events.Dequeue();
        Now = next.Due;
        action();
        return true;
    }
}
