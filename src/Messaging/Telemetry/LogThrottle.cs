namespace Messaging.Telemetry;

/// <summary>Allows one log line per interval and counts the rest, so that an outage does not flood the log. Threads: any.</summary>
/// <param name="time">The clock.</param>
/// <param name="interval">The shortest time between two lines.</param>
public sealed class LogThrottle(TimeProvider time, TimeSpan interval)
{
    private readonly Lock _lock = new();
    private long _lastLogged;
    private long _suppressed;
    private bool _any;

    /// <summary>True when this line may be logged; <paramref name="suppressed"/> is then the number of lines suppressed before it.</summary>
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

/// <summary>The number of lines that a <see cref="LogThrottle"/> suppressed before this one; as text the end of the line, empty for none.</summary>
/// <param name="Count">The lines.</param>
public readonly record struct SuppressedLines(long Count)
{
    /// <inheritdoc/>
    public override string ToString() => Count == 0 ? string.Empty : $" ({Count} similar lines suppressed)";
}
