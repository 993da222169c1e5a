using System.Threading.Tasks.Sources;
using Messaging.Tasks;
using Pipeline.Buffers;

namespace Messaging.Storage;

/// <summary>
/// One kind of file call, run on <see cref="FileThreads"/> and awaited from any thread. Calls are pooled: 0 B per call once the pool is
/// warm. Threads: any.
/// </summary>
/// <param name="threads">The threads that run it; the caller disposes them.</param>
/// <param name="call">The call; may block and throw.</param>
/// <param name="kept">Idle call objects kept for reuse, at least 1.</param>
internal sealed class FileCalls<TState, TResult>(FileThreads threads, Func<TState, TResult> call, int kept)
{
    private readonly BoundedPool<Call> _pool = new(kept);

    /// <summary>Runs the call on a thread that may block.</summary>
    /// <param name="state">What it works on; borrowed until the task completes.</param>
    /// <param name="cancellationToken">Cancels the wait for a thread. Once the call runs, the task completes when the call returns.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled before a thread took the call.</exception>
    public ValueTask<TResult> RunAsync(TState state, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<TResult>(cancellationToken);
        }

        Call pending = _pool.TryTake(out Call? pooled) ? pooled : new Call(this);
        return pending.Start(state, cancellationToken);
    }

    private sealed class Call(FileCalls<TState, TResult> owner) : FileCall, IValueTaskSource<TResult>
    {
        // The threads only make file calls: continuations run elsewhere.
        private ManualResetValueTaskSourceCore<TResult> _result = new() { RunContinuationsAsynchronously = true };
        private CancellationTokenRegistration _registration;
        private CancellationToken _cancellationToken;
        private TState _state = default!;

        public ValueTask<TResult> Start(TState state, CancellationToken cancellationToken)
        {
            short version = _result.Version;
            _state = state;
            _cancellationToken = cancellationToken;
            owner.Threads.Enqueue(this);

            // Before the caller can read the result, and so before the call can be reused.
            _registration = cancellationToken.UnsafeRegister(static state => ((Call)state!).Withdraw(), this);
            return new ValueTask<TResult>(this, version);
        }

        public override void Execute()
        {
            TResult result;
            try
            {
                result = owner.Function(_state);
            }
            catch (Exception exception)
            {
                _result.SetException(exception);
                return;
            }

            _result.SetResult(result);
        }

        TResult IValueTaskSource<TResult>.GetResult(short token)
        {
            PooledResult.EnsureCompleted(ref _result, token);

            // Waits for a cancellation callback that is running: it must not cancel the next use.
            _registration.Dispose();
            try
            {
                return _result.GetResult(token);
            }
            finally
            {
                _registration = default;
                _cancellationToken = default;
                _state = default!;
                _result.Reset();
                owner._pool.Return(this);
            }
        }

        ValueTaskSourceStatus IValueTaskSource<TResult>.GetStatus(short token) => _result.GetStatus(token);

        void IValueTaskSource<TResult>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            _result.OnCompleted(continuation, state, token, flags);

        private void Withdraw()
        {
            if (owner.Threads.TryRemove(this))
            {
                _result.SetException(new OperationCanceledException(_cancellationToken));
            }
        }
    }

    private FileThreads Threads => threads;

    private Func<TState, TResult> Function => call;
}

/// <summary>Work for <see cref="FileThreads"/>.</summary>
internal abstract class FileCall
{
    protected FileCall() => Node = new LinkedListNode<FileCall>(this);

    /// <summary>Its node in the list of waiting calls; in no list once a thread has the call. Under the lock of <see cref="FileThreads"/>.</summary>
    public LinkedListNode<FileCall> Node { get; }

    /// <summary>Does the work; never throws.</summary>
    public abstract void Execute();
}
