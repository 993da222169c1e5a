namespace Proof.Simulation;

/// <summary>
/// Runs a world on the pool's only thread. The pool's work items run in the order in which they were queued; when the pool is idle, or the
/// world draws so, the world's next event runs.
/// </summary>
/// <param name="runNext">Runs the next event; false when there is none.</param>
/// <param name="isEarly">True when the next event runs before the work that is ready.</param>
internal sealed class PoolLoop(Func<bool> runNext, Func<bool> isEarly) : IThreadPoolWorkItem
{
    private readonly ManualResetEventSlim _ended = new();
    private Exception? _error;

    /// <summary>Runs until there is no next event.</summary>
    public void Run()
    {
        ThreadPool.GetMaxThreads(out int threads, out _);
        if (threads != 1)
        {
            throw new InvalidOperationException($"The pool has {threads} threads, so the seed would not decide the order: run the program's own executable, whose runtimeconfig.json sets one thread.");
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        _ended.Wait();
        if (_error is not null)
        {
            throw new InvalidOperationException("The code of the simulation itself failed.", _error);
        }
    }

    public void Execute()
    {
        try
        {
            if ((ThreadPool.PendingWorkItemCount > 0 && !isEarly()) || runNext())
            {
                ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
                return;
            }
        }
        catch (Exception exception)
        {
            _error = exception;
        }

        _ended.Set();
    }
}
