using System.Threading.Tasks.Sources;

namespace Quayside.Messaging.Tasks;

/// <summary>
/// One awaited operation at a time, in an object that is reused: waiting allocates nothing. The caller continues in a work item
/// of its own. Threads: one begins and awaits, any one completes.
/// </summary>
/// <typeparam name="TResult">The operation's result.</typeparam>
internal abstract class PooledOperation<TResult> : IValueTaskSource<TResult>, IValueTaskSource, IThreadPoolWorkItem
{
    private ManualResetValueTaskSourceCore<TResult> _core;
    private CancellationTokenRegistration _registration;
    private CancellationToken _cancellationToken;
    private TResult? _result;
    private Exception? _failure;

    /// <summary>Begins the caller's wait: from here on its token calls <see cref="Cancel"/>.</summary>
    /// <returns>The token of the value task, which the caller awaits once.</returns>
    protected short Begin(CancellationToken cancellationToken)
    {
        short version = _core.Version;
        _cancellationToken = cancellationToken;

        // Set before the caller can read the result, and so before the object can be reused, even if the operation is complete already.
        _registration = cancellationToken.UnsafeRegister(static operation => ((PooledOperation<TResult>)operation!).Cancel(), this);
        return version;
    }

    /// <summary>Completes the operation; once, and never together with <see cref="Fail"/>.</summary>
    public void Complete(TResult result)
    {
        _result = result;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Completes the operation with an exception.</summary>
    public void Fail(Exception exception)
    {
        _failure = exception;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Completes the operation with the cancellation of the caller's token.</summary>
    public void CompleteCancelled() => Fail(new OperationCanceledException(_cancellationToken));

    /// <summary>The caller's token was cancelled; the operation may be complete already.</summary>
    protected abstract void Cancel();

    /// <summary>The last step before the caller continues; what it returns is the result.</summary>
    protected virtual TResult Resume(TResult result) => result;

    /// <summary>Clears the object and, last, returns it to its pool: the caller has read the result, or the operation never began.</summary>
    public abstract void Recycle();

    void IThreadPoolWorkItem.Execute()
    {
        if (_failure is not null)
        {
            _core.SetException(_failure);
        }
        else
        {
            _core.SetResult(Resume(_result!));
        }
    }

    ValueTaskSourceStatus IValueTaskSource<TResult>.GetStatus(short token) => _core.GetStatus(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<TResult>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token) => Read(token);

    TResult IValueTaskSource<TResult>.GetResult(short token) => Read(token);

    private TResult Read(short token)
    {
        // An object that returned to its pool while an operation still runs in it would give the next caller that operation's outcome.
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The value task has not completed; await it instead of reading its result.");
        }

        // Waits for a running cancellation, which must not affect the next use.
        _registration.Dispose();
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            _registration = default;
            _cancellationToken = default;
            _result = default;
            _failure = null;
            _core.Reset();
            Recycle();
        }
    }
}
