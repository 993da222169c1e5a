namespace Quayside.Messaging.Recoverability;

/// <summary>
/// Finds that nothing passes: the last <see cref="Limit"/> messages all failed by a defect of a part, and none passed meanwhile. A message that
/// fails again counts once, and one that is rejected with a reason does not count. Threads: any.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="expires">True where messages arrive only while the route is ready: a minute after the last failure the next message decides.</param>
internal sealed class FailureRun(TimeProvider time, bool expires = false)
{
    /// <summary>More than a sender's few bad messages, and few enough for the first minutes after a rollout.</summary>
    public const int Limit = 10;

    private static readonly TimeSpan Expiry = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private readonly HashSet<int> _messages = [];
    private volatile string? _found;
    private volatile bool _any;
    private long _failedAt;

    /// <summary>True after a failure, until something passes.</summary>
    public bool Any => _any;

    /// <summary>What fails; null while messages pass, or may pass again.</summary>
    public string? Problem => expires && time.GetElapsedTime(Volatile.Read(ref _failedAt)) > Expiry ? null : _found;

    /// <summary>What failed last, when it is no longer a <see cref="Problem"/> and nothing has passed since.</summary>
    public string? Warning => Problem is null ? _found : null;

    /// <summary>A message failed.</summary>
    /// <param name="message">Tells the messages apart.</param>
    /// <param name="problem">What failed.</param>
    /// <returns>True when the limit is reached.</returns>
    public bool Failed(int message, string problem)
    {
        lock (_lock)
        {
            _any = true;
            Volatile.Write(ref _failedAt, time.GetTimestamp());
            bool reached = _messages.Count < Limit && _messages.Add(message) && _messages.Count == Limit;
            _found = _messages.Count == Limit ? problem : null;
            return reached;
        }
    }

    /// <summary>A message passed.</summary>
    /// <returns>True when that ends a problem.</returns>
    public bool Passed()
    {
        lock (_lock)
        {
            bool ends = _found is not null;
            _any = false;
            _found = null;
            _messages.Clear();
            return ends;
        }
    }
}
