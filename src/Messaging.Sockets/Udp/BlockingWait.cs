using System.Runtime.CompilerServices;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Blocks a dedicated thread until a <see cref="ValueTask{TResult}"/> completes; reusable, so waiting allocates nothing. Threads: one.</summary>
internal sealed class BlockingWait : IDisposable
{
    // No spinning: waits here last longer than the microseconds that it could bridge.
    private readonly ManualResetEventSlim _done = new(initialState: false, spinCount: 0);
    private readonly Action _set;

    public BlockingWait() => _set = _done.Set;

    /// <summary>Returns the task's result, or throws its exception.</summary>
    public T For<T>(ValueTask<T> task)
    {
        ConfiguredValueTaskAwaitable<T>.ConfiguredValueTaskAwaiter awaiter = task.ConfigureAwait(false).GetAwaiter();
        if (!awaiter.IsCompleted)
        {
            _done.Reset();
            awaiter.UnsafeOnCompleted(_set);
            _done.Wait(CancellationToken.None);
        }

        return awaiter.GetResult();
    }

    public void Dispose() => _done.Dispose();
}
