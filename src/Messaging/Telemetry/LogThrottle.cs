namespace Messaging.Telemetry;

/// <summary>Lets one log line through an interval and counts the rest, so that an outage is visible without being a flood. Threads: any.</summary>
/// <param name="time">The clock.</param>
/// <param name="interval">The shortest time between two lines.</param>
public sealed class LogThrottle(TimeProvider time, TimeSpan interval)
{
    private readonly Lock _lock = new();
    private long _lastLogged;
    private long _suppressed;
    private bool _any;

    /// <summary>True when this line may be logged; <paramref name="suppressed"/> then says how many were held back before it.</summary>
    public bool ShouldLog(out SuppressedLines suppressed)
    {
        lock (_lock)
        {
            if (_any && time.GetElapsedTime(_lastLogged) < interval)
            {
                _suppressed++;
                suppressed = default;
                return false;
            }

            suppressed = new SuppressedLines(_suppressed);
            _suppressed = 0;
            _any = true;
            _lastLogged = time.GetTimestamp();
            return true;
        }
    }
}

/// <summary>How many lines a <see cref="LogThrottle"/> held back before this one; as text the end of the line, empty where there were none.</summary>
/// <param name="Count">The lines.</param>
public readonly record struct SuppressedLines(long Count)
{
    /// <inheritdoc/>
    public override string ToString() => Count == 0 ? string.Empty : $" ({Count} more such lines were not shown)";
}
