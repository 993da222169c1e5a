using Quayside.Messaging.Tasks;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// Space for a fixed number of messages; publishers wait for it in order. Without waiters it costs one interlocked operation to take and
/// one to return, where a semaphore takes a lock. Threads: any.
/// </summary>
internal sealed class ChannelCapacity(int capacity)
{
    private const int MaxPooled = 64;

    private readonly Lock _lock = new();
    private readonly LinkedList<Waiter> _waiting = new();
    private readonly BoundedPool<Waiter> _waiters = new(MaxPooled);

    // Negative: publishers that wait or are about to.
    private int _free = capacity;

    // Returned to publishers that were about to wait. Under the lock.
    private int _passedOn;

    // Publishers that have given up; the next returns repay what they took. Under the lock.
    private int _gaveUp;

    /// <summary>Takes space for one message.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first; nothing was taken.</exception>
    public ValueTask TakeAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        return Interlocked.Decrement(ref _free) >= 0 ? default : WaitAsync(cancellationToken);
    }

    /// <summary>Returns space for one message.</summary>
    public void Return()
    {
        while (Interlocked.Increment(ref _free) <= 0)
        {
            lock (_lock)
            {
                if (_gaveUp > 0)
                {
                    _gaveUp--;
                    continue;
                }

                if (_waiting.First is { } first)
                {
                    _waiting.RemoveFirst();
                    first.Value.Complete(true);
                }
                else
                {
                    _passedOn++;
                }

                return;
            }
        }
    }

    private ValueTask WaitAsync(CancellationToken cancellationToken)
    {
        Waiter waiter;
        lock (_lock)
        {
            if (_passedOn > 0)
            {
                _passedOn--;
                return default;
            }

            waiter = _waiters.TryTake(out Waiter? pooled) ? pooled : new Waiter(this);
            _waiting.AddLast(waiter.Node);
        }

        return waiter.WaitAsync(cancellationToken);
    }

    private void GiveUp(Waiter waiter)
    {
        lock (_lock)
        {
            if (waiter.Node.List is not null)
            {
                _waiting.Remove(waiter.Node);
                _gaveUp++;
                waiter.CompleteCancelled();
            }
        }
    }

    /// <summary>
    /// A publisher that waits. It continues in a work item of its own, behind the pool's other work: by then there is space for more
    /// messages than one. Reused after its result was read.
    /// </summary>
    private sealed class Waiter : PooledOperation<bool>
    {
        private readonly ChannelCapacity _space;

        public Waiter(ChannelCapacity space)
        {
            _space = space;
            Node = new LinkedListNode<Waiter>(this);
        }

        public LinkedListNode<Waiter> Node { get; }

        public ValueTask WaitAsync(CancellationToken cancellationToken) => new(this, Begin(cancellationToken));

        protected override void Cancel() => _space.GiveUp(this);

        public override void Recycle() => _space._waiters.Return(this);
    }
}
