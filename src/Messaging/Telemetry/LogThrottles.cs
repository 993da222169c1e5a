using System.Collections.Concurrent;

namespace Messaging.Telemetry;

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
