using Quayside.Messaging.Tasks;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Storage;

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

    // The threads only make file calls: the caller continues elsewhere.
    private sealed class Call : PooledOperation<TResult>, IFileCall
    {
        private readonly FileCalls<TState, TResult> _owner;

        private TState _state = default!;

        public Call(FileCalls<TState, TResult> owner)
        {
            _owner = owner;
            Node = new LinkedListNode<IFileCall>(this);
        }

        public LinkedListNode<IFileCall> Node { get; }

        public ValueTask<TResult> Start(TState state, CancellationToken cancellationToken)
        {
            _state = state;
            _owner.Threads.Enqueue(this);
            return new ValueTask<TResult>(this, Begin(cancellationToken));
        }

        void IFileCall.Execute()
        {
            TResult result;
            try
            {
                result = _owner.Function(_state);
            }
            catch (Exception exception)
            {
                Fail(exception);
                return;
            }

            Complete(result);
        }

        protected override void Cancel()
        {
            if (_owner.Threads.TryRemove(this))
            {
                CompleteCancelled();
            }
        }

        public override void Recycle()
        {
            _state = default!;
            _owner._pool.Return(this);
        }
    }

    private FileThreads Threads => threads;

    private Func<TState, TResult> Function => call;
}

/// <summary>Work for <see cref="FileThreads"/>.</summary>
internal interface IFileCall
{
    /// <summary>Its node in the list of waiting calls; in no list once a thread has the call. Under the lock of <see cref="FileThreads"/>.</summary>
    LinkedListNode<IFileCall> Node { get; }

    /// <summary>Does the work; never throws.</summary>
    void Execute();
}
