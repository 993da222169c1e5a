namespace Messaging.Sources.InMemory;

/// <summary>Counts work in progress, and tells when there is none. Threads: any number begin and end; one waits.</summary>
internal sealed class WorkCount
{
    private int _count;
    private TaskCompletionSource? _none;

    public bool Any => Volatile.Read(ref _count) > 0;

    public void Begin() => Interlocked.Increment(ref _count);

    public void End()
    {
        if (Interlocked.Decrement(ref _count) == 0)
        {
            Volatile.Read(ref _none)?.TrySetResult();
        }
    }

    /// <summary>Completes when everything that has begun has ended.</summary>
    public Task WhenNoneAsync()
    {
        TaskCompletionSource none = new(TaskCreationOptions.RunContinuationsAsynchronously);

        // Before the count is read, and End lowers the count before it looks for the waiter: one of the two sees the other.
        Interlocked.Exchange(ref _none, none);
        return Any ? none.Task : Task.CompletedTask;
    }
}
