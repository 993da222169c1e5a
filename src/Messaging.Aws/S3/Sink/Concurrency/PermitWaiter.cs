using System.Threading.Tasks.Sources;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// One wait for a permit, used again for others. Its state changes under the limiter's lock; its timer and its registration only ever
/// ask the limiter to give it up, which looks again whether it still waits. Threads: one wait at a time.
/// </summary>
internal sealed class PermitWaiter : IValueTaskSource<Permit>
{
    private readonly ConcurrencyLimiter _limiter;
    private readonly ITimer _timer;

    // Continuations run elsewhere: permits are given under the limiter's lock.
    private ManualResetValueTaskSourceCore<Permit> _core = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;

    public PermitWaiter(ConcurrencyLimiter limiter, TimeProvider time)
    {
        _limiter = limiter;

        // It outlives the message it is made for, whose ambient state it would keep.
        using AsyncFlowControl flow = ExecutionContext.SuppressFlow();
        _timer = time.CreateTimer(static state => ((PermitWaiter)state!).Expire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Its place in the limiter's queue; null when it does not wait.</summary>
    public LinkedListNode<PermitWaiter> Node => field ??= new LinkedListNode<PermitWaiter>(this);

    /// <summary>When it began to wait, and how long it will; written under the lock.</summary>
    public (long Since, TimeSpan Patience) Deadline { get; set; }

    /// <summary>Begins to wait; called once it stands in the queue. It may be served already.</summary>
    public ValueTask<Permit> WaitAsync(CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        _timer.Change(Deadline.Patience, Timeout.InfiniteTimeSpan);
        _registration = cancellationToken.UnsafeRegister(static state => ((PermitWaiter)state!).Cancel(), this);
        return new ValueTask<Permit>(this, _core.Version);
    }

    /// <summary>Looks again later: timers may come early.</summary>
    public void Rearm(TimeSpan left) => _timer.Change(left, Timeout.InfiniteTimeSpan);

    public void Give(Permit permit) => _core.SetResult(permit);

    public void GiveUp() => _core.SetException(new OperationCanceledException(_cancellationToken));

    Permit IValueTaskSource<Permit>.GetResult(short token)
    {
        // Ended first: a callback under way has left this wait when the next one begins.
        _registration.Dispose();
        _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _registration = default;
            _cancellationToken = default;
            _core.Reset();
            _limiter.Recycle(this);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<Permit>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<Permit>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private void Expire() => _limiter.Expire(this);

    private void Cancel() => _limiter.Cancel(this);
}

/// <summary>The right to have one request in flight; given back by <see cref="ConcurrencyLimiter.Release"/>, whatever happens.</summary>
/// <param name="Number">Sequence number of the permit, from 1: tells requests from before a decrease from those after it.</param>
internal readonly record struct Permit(long Number)
{
    /// <summary>False when the wait for it was too long.</summary>
    public bool IsGiven => Number != 0;
}
