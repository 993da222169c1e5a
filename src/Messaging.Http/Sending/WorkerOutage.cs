namespace Messaging.Http.Sending;

/// <summary>
/// Limits how long a sender waits for a worker that refuses connections. A restarting worker is back within its drain timeout and a few seconds; a worker
/// that has never answered is probably not running. Threads: any.
/// </summary>
/// <param name="target">The worker's address, for the notice.</param>
/// <param name="time">The clock of the limit.</param>
/// <param name="notice">Receives one line per outage. Called under a lock.</param>
internal sealed class WorkerOutage(string target, TimeProvider time, Action<string> notice)
{
    /// <summary>The limit for a worker that has answered before: the default drain timeout of 25 s, 8 s for its dead letters, and its start.</summary>
    public static readonly TimeSpan RestartLimit = TimeSpan.FromSeconds(60);

    /// <summary>The limit for a worker that has never answered, such as one that a script has just started.</summary>
    public static readonly TimeSpan FirstLimit = TimeSpan.FromSeconds(5);

    // Answers to earlier requests end an outage for a moment, which must not cause a second notice.
    private static readonly TimeSpan NoticeInterval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private bool _hasAnswered;
    private long? _since;
    private long? _noticed;

    public void End()
    {
        lock (_lock)
        {
            _hasAnswered = true;
            _since = null;
        }
    }

    /// <summary>A connection failed.</summary>
    /// <returns>False when the limit has passed.</returns>
    public bool MayWait(string error)
    {
        lock (_lock)
        {
            TimeSpan limit = _hasAnswered ? RestartLimit : FirstLimit;
            if (_since is { } since)
            {
                return time.GetElapsedTime(since) < limit;
            }

            _since = time.GetTimestamp();
            if (_noticed is { } noticed && time.GetElapsedTime(noticed) < NoticeInterval)
            {
                return true;
            }

            _noticed = _since;
            notice($"{target} cannot be reached ({error}); retrying for up to {limit.TotalSeconds:N0} s.");
            return true;
        }
    }
}
