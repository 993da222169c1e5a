using System.Threading.Tasks.Sources;

namespace Messaging.Aws.Sqs;

/// <summary>
/// The wait for enough entries to fill a batch, or for the end of patience. Used again for every batch, with one timer: waking up
/// for each entry, with a new timer for each batch, cost more than the entries. Threads: one waits, any may end the wait.
/// </summary>
internal sealed class Gathering : IValueTaskSource, IDisposable
{
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _end = new() { RunContinuationsAsynchronously = true };
    private int _needed;

    public Gathering(TimeProvider time)
    {
        _timer = time.CreateTimer(static state => ((Gathering)state!).End(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Entries that a caller waits for; 0 without a waiting caller.</summary>
    public int Needed => Volatile.Read(ref _needed);

    /// <summary>Begins a wait. A caller that adds an entry from here on sees <see cref="Needed"/>; what was there before is the caller's to look at.</summary>
    public ValueTask BeginAsync(int needed, TimeSpan patience)
    {
        _end.Reset();
        ValueTask wait = new(this, _end.Version);
        Interlocked.Exchange(ref _needed, needed);
        _timer.Change(patience, Timeout.InfiniteTimeSpan);
        return wait;
    }

    /// <summary>Ends the wait, if there is one. A timer that fires late may end the next wait: its batch then leaves early.</summary>
    public void End()
    {
        if (Interlocked.Exchange(ref _needed, 0) != 0)
        {
            _end.SetResult(true);
        }
    }

    public void Dispose() => _timer.Dispose();

    void IValueTaskSource.GetResult(short token)
    {
        _end.GetResult(token);
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _end.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _end.OnCompleted(continuation, state, token, flags);
}
