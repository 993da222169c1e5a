namespace Messaging.Http.Sending;

/// <summary>
/// How long a sender waits for a worker that refuses connections: a worker that restarts is back within its drain timeout and a
/// few seconds; where none has answered yet, most likely none runs. Threads: any.
/// </summary>
/// <param name="target">The worker's address, for the notice.</param>
/// <param name="time">Runs the limit.</param>
/// <param name="notice">Takes one line for each outage. Called under a lock.</param>
internal sealed class WorkerOutage(string target, TimeProvider time, Action<string> notice)
{
    /// <summary>The limit where the worker has answered before: the default drain of 25 s, 8 s for its dead letters, and its start.</summary>
    public static readonly TimeSpan RestartLimit = TimeSpan.FromSeconds(60);

    /// <summary>The limit where it has not: a start in a script beside this command.</summary>
    public static readonly TimeSpan FirstLimit = TimeSpan.FromSeconds(5);

    // Answers that were under way when an outage began end it for a moment: no second notice for that.
    private static readonly TimeSpan NoticeInterval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private bool _hasAnswered;
    private long? _since;
    private long? _noticed;

    /// <summary>An answer arrived.</summary>
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
            notice($"{target} cannot be reached ({error}); trying again for up to {limit.TotalSeconds:N0} s.");
            return true;
        }
    }
}
