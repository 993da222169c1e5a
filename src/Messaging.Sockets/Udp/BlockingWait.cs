using System.Runtime.CompilerServices;

namespace Messaging.Sockets.Udp;

/// <summary>Lets a thread of its own wait for a <see cref="ValueTask{TResult}"/>; used again for every wait, so waiting allocates nothing. Threads: one.</summary>
internal sealed class BlockingWait : IDisposable
{
    // Nothing that is waited for here comes within the microseconds that spinning could bridge.
    private readonly ManualResetEventSlim _done = new(initialState: false, spinCount: 0);
    private readonly Action _set;

    public BlockingWait() => _set = _done.Set;

    /// <summary>The task's result, or its exception.</summary>
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
