using System.Threading.Tasks.Sources;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// One wait for a permit; the object is pooled. Its state changes under the limiter's lock: its timer and its cancellation only ask the
/// limiter, which checks whether it still waits. Threads: one wait at a time.
/// </summary>
internal sealed class PermitWaiter : IValueTaskSource<Permit>
{
    private readonly ConcurrencyLimiter _limiter;
    private readonly ITimer _timer;

    // Asynchronous continuations, because permits are given under the limiter's lock.
    private ManualResetValueTaskSourceCore<Permit> _core = new() { RunContinuationsAsynchronously = true };
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;

    public PermitWaiter(ConcurrencyLimiter limiter, TimeProvider time)
    {
        _limiter = limiter;

        // The timer outlives the message that creates it, and would keep the message's ambient state.
        using AsyncFlowControl flow = ExecutionContext.SuppressFlow();
        _timer = time.CreateTimer(static state => ((PermitWaiter)state!).Expire(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Its node in the limiter's queue; in no list when it does not wait.</summary>
    public LinkedListNode<PermitWaiter> Node => field ??= new LinkedListNode<PermitWaiter>(this);

    /// <summary>The start and the maximum of the wait; written under the lock.</summary>
    public (long Since, TimeSpan Limit) Deadline { get; set; }

    /// <summary>Starts the wait; called when it is in the queue. It may have its permit already.</summary>
    public ValueTask<Permit> WaitAsync(CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        _timer.Change(Deadline.Limit, Timeout.InfiniteTimeSpan);
        _registration = cancellationToken.UnsafeRegister(static state => ((PermitWaiter)state!).Cancel(), this);
        return new ValueTask<Permit>(this, _core.Version);
    }

    /// <summary>Checks again later: timers may fire early.</summary>
    public void Rearm(TimeSpan left) => _timer.Change(left, Timeout.InfiniteTimeSpan);

    public void Give(Permit permit) => _core.SetResult(permit);

    public void GiveUp() => _core.SetException(new OperationCanceledException(_cancellationToken));

    Permit IValueTaskSource<Permit>.GetResult(short token)
    {
        // First, so that a running callback of this wait has ended before the next wait starts.
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

/// <summary>The right to have one request in flight; always returned with <see cref="ConcurrencyLimiter.Release"/>.</summary>
/// <param name="Number">Sequence number of the permit, from 1: separates requests before a decrease from later ones.</param>
internal readonly record struct Permit(long Number)
{
    /// <summary>False when the wait ended without a permit.</summary>
    public bool IsConfigured => Number != 0;
}
