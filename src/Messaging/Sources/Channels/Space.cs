namespace Messaging.Sources.Channels;

/// <summary>
/// Space for a fixed number of messages; publishers wait for it in order. Without waiters it costs one interlocked operation to take and
/// one to return, where a semaphore takes a lock. Threads: any.
/// </summary>
internal sealed class Space(int capacity)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<TaskCompletionSource> _waiting = new();

    // Negative: publishers that wait or are about to.
    private int _free = capacity;

    // Returned to publishers that were about to wait. Under the lock.
    private int _passedOn;

    // Publishers that have given up; the next returns repay what they took. Under the lock.
    private int _gaveUp;

    /// <summary>Takes space for one message.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled first; nothing was taken.</exception>
    public Task TakeAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled(cancellationToken);
        }

        return Interlocked.Decrement(ref _free) >= 0 ? Task.CompletedTask : WaitAsync(cancellationToken);
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
                    first.Value.SetResult();
                }
                else
                {
                    _passedOn++;
                }

                return;
            }
        }
    }

    private async Task WaitAsync(CancellationToken cancellationToken)
    {
        LinkedListNode<TaskCompletionSource> node;
        lock (_lock)
        {
            if (_passedOn > 0)
            {
                _passedOn--;
                return;
            }

            node = _waiting.AddLast(new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        }

        await using (cancellationToken.UnsafeRegister(_ => GiveUp(node, cancellationToken), state: null))
        {
            await node.Value.Task;
        }
    }

    private void GiveUp(LinkedListNode<TaskCompletionSource> node, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (node.List is null)
            {
                return;
            }

            _waiting.Remove(node);
            _gaveUp++;
        }

        node.Value.SetCanceled(cancellationToken);
    }
}
