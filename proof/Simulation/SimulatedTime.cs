namespace Proof.Simulation;

/// <summary>The clock of a simulated world: what is due next runs next, and time jumps to it. Threads: the simulation's only.</summary>
internal sealed class SimulatedTime
{
    private readonly PriorityQueue<Action, (long Due, long Number)> _events = new();
    private long _number;

    /// <summary>Ticks since the start of the world.</summary>
    public long Now { get; private set; }

    /// <summary>What the wall clock is set forward by; timers and durations do not see it.</summary>
    public TimeSpan WallOffset { get; set; }

    public static DateTimeOffset Start { get; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public void Schedule(TimeSpan after, Action action) => _events.Enqueue(action, (Now + Math.Max(0, after.Ticks), _number++));

    /// <summary>Jumps to the next event and runs it.</summary>
    /// <returns>False when there is none until <paramref name="end"/>, which is the time then.</returns>
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
