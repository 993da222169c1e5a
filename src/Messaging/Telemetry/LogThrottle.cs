using System.Collections.Concurrent;

namespace Quayside.Messaging.Telemetry;

/// <summary>Allows one log line per interval and counts the rest, so that an outage does not flood the log. Threads: any.</summary>
/// <param name="time">The clock.</param>
/// <param name="interval">The shortest time between two lines.</param>
internal sealed class LogThrottle(TimeProvider time, TimeSpan interval)
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
internal readonly record struct SuppressedLines(long Count)
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

/// <summary>
/// Allows the first log line of each reason, and counts the further ones of a minute for a summary. A reason that was quiet for a minute is
/// logged again. Reasons are bounded: beyond the limit, further ones share a line until another has been quiet. Threads: any.
/// </summary>
internal sealed class ReasonThrottle(TimeProvider time)
{
    /// <summary>The time between two lines of one reason.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMinutes(1);

    private const int MaxReasons = 100;
    private const string Others = "other reasons";

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Lines> _byReason = new(StringComparer.Ordinal);

    /// <summary>
    /// True when this line may be logged; <paramref name="suppressed"/> is then the number of its reason's lines before it that no summary has.
    /// </summary>
    /// <param name="reason">The reason.</param>
    /// <param name="last">What a summary says of this line if it is the last one.</param>
    /// <param name="suppressed">The count.</param>
    public bool ShouldLog(string reason, string last, out SuppressedLines suppressed)
    {
        lock (_lock)
        {
            string key = _byReason.ContainsKey(reason) || MakeSpace() ? reason : Others;
            if (!_byReason.TryGetValue(key, out Lines? lines))
            {
                _byReason.Add(key, new Lines(time.GetTimestamp()));
                suppressed = default;
                return true;
            }

            if (time.GetElapsedTime(lines.Since) < Interval)
            {
                lines.Suppressed++;
                lines.Last = last;
                suppressed = default;
                return false;
            }

            suppressed = new SuppressedLines(lines.Suppressed);
            lines.Suppressed = 0;
            lines.Since = time.GetTimestamp();
            return true;
        }
    }

    /// <summary>Takes the counts of lines suppressed for a minute, or all of them.</summary>
    public List<(string Reason, long Count, string Last)> TakeSummaries(bool all = false)
    {
        lock (_lock)
        {
            List<(string, long, string)> summaries = [];
            foreach ((string reason, Lines lines) in _byReason)
            {
                if (lines.Suppressed > 0 && (all || time.GetElapsedTime(lines.Since) >= Interval))
                {
                    summaries.Add((reason, lines.Suppressed, lines.Last));
                    lines.Suppressed = 0;
                    lines.Since = time.GetTimestamp();
                }
            }

            return summaries;
        }
    }

    /// <summary>Under the lock: forgets a reason that was quiet for a minute, if there are too many.</summary>
    /// <returns>True when there is space for another reason.</returns>
    private bool MakeSpace()
    {
        if (_byReason.Count < MaxReasons)
        {
            return true;
        }

        string? quiet = _byReason.FirstOrDefault(entry => entry.Value.Suppressed == 0 && time.GetElapsedTime(entry.Value.Since) >= Interval).Key;
        return quiet is not null && _byReason.Remove(quiet);
    }

    private sealed class Lines(long since)
    {
        public long Since { get; set; } = since;

        public long Suppressed { get; set; }

        public string Last { get; set; } = string.Empty;
    }
}
