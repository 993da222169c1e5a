using System.Diagnostics;

namespace Quayside.Messaging.Telemetry;

/// <summary>Since when something happens again and again: the first time after a quiet time. Threads: one at a time.</summary>
internal sealed class Episode
{
    /// <summary>How long nothing must happen for the next time to be a new begin.</summary>
    public static readonly TimeSpan Quiet = TimeSpan.FromMinutes(15);

    private bool _hasBegun;

    /// <summary>The first time, as a timestamp.</summary>
    public long First { get; private set; }

    /// <summary>The last time, as a timestamp.</summary>
    public long Last { get; private set; }

    /// <param name="timestamp">When it happened, from <see cref="Stopwatch.GetTimestamp"/>.</param>
    public void Add(long timestamp)
    {
        if (!_hasBegun || Stopwatch.GetElapsedTime(Last, timestamp) >= Quiet)
        {
            First = timestamp;
        }

        _hasBegun = true;
        Last = timestamp;
    }
}
