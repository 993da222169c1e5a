using System.Collections.Concurrent;

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

/// <summary>A <see cref="LogThrottle"/> per kind of line, so that a frequent line does not suppress a rare one. Threads: any.</summary>
/// <param name="time">The clock.</param>
/// <param name="interval">The shortest time between two lines of one kind.</param>
internal sealed class LogThrottles<TKey>(TimeProvider time, TimeSpan interval)
    where TKey : notnull
{
    // Bounds the memory when a key follows from a message; kinds beyond it share a throttle.
    private const int MaxKeys = 64;

    private readonly ConcurrentDictionary<TKey, LogThrottle> _throttles = new();
    private readonly LogThrottle _others = new(time, interval);

    /// <summary>As <see cref="LogThrottle.ShouldLog"/>, for lines of this kind.</summary>
    public bool ShouldLog(TKey key, out SuppressedLines suppressed) => Of(key).ShouldLog(out suppressed);

    private LogThrottle Of(TKey key) => _throttles.TryGetValue(key, out LogThrottle? throttle) ? throttle
        : _throttles.Count < MaxKeys ? _throttles.GetOrAdd(key, static (_, own) => new LogThrottle(own.time, own.interval), (time, interval))
        : _others;
}
