using System.Threading.Tasks.Sources;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Waits until enough entries fill a batch or the delay has ended. Reused for every batch, with one timer: waking up per entry, with a new
/// timer per batch, cost more than the entries. Threads: one waits, any may end the wait.
/// </summary>
internal sealed class BatchTimer : IValueTaskSource, IDisposable
{
    private readonly ITimer _timer;
    private ManualResetValueTaskSourceCore<bool> _end = new() { RunContinuationsAsynchronously = true };
    private int _needed;

    public BatchTimer(TimeProvider time)
    {
        _timer = time.CreateTimer(static state => ((BatchTimer)state!).End(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Entries that a caller waits for; 0 without a waiting caller.</summary>
    public int Needed => Volatile.Read(ref _needed);

    /// <summary>Starts a wait. A caller that adds an entry from now on sees <see cref="Needed"/>; this caller must check for earlier entries.</summary>
    public ValueTask BeginAsync(int needed, TimeSpan delay)
    {
        _end.Reset();
        ValueTask wait = new(this, _end.Version);
        Interlocked.Exchange(ref _needed, needed);
        _timer.Change(delay, Timeout.InfiniteTimeSpan);
        return wait;
    }

    /// <summary>Ends the wait, if there is one. A timer that fires late may end the next wait: its batch is then sent early.</summary>
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
