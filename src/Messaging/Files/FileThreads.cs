using System.Diagnostics.CodeAnalysis;

namespace Messaging.Files;

/// <summary>
/// Threads of their own for file calls, which block and cannot be cancelled: a disk that is slow or hangs holds these threads and
/// never those of the thread pool, which answer the health pages and drain the worker. Threads are started when they are first
/// needed and end with <see cref="Dispose"/>; one that hangs does not keep the process from ending. Threads: any number call.
/// </summary>
/// <param name="name">What debuggers and stack dumps call the threads.</param>
/// <param name="limit">The most threads, at least 1; so many file calls run at once, and the others wait in order.</param>
internal sealed class FileThreads(string name, int limit) : TaskScheduler, IDisposable
{
    private readonly LinkedList<Task> _waiting = new();
    private readonly object _gate = new();

    // Guarded by _gate.
    private int _threads;
    private int _idle;
    private bool _disposed;

    public override int MaximumConcurrencyLevel => limit;

    /// <summary>Runs a call on a thread that may block, after those that wait.</summary>
    /// <param name="call">The call; may block and throw.</param>
    /// <param name="cancellationToken">Ends the waiting for a thread. Once the call runs, the task completes when the call returns.</param>
    /// <exception cref="OperationCanceledException">The token ended before a thread took the call.</exception>
    public async Task<TResult> RunAsync<TResult>(Func<TResult> call, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);

        // The threads only make file calls: who waits goes on elsewhere.
        const TaskCreationOptions Options = TaskCreationOptions.DenyChildAttach | TaskCreationOptions.HideScheduler | TaskCreationOptions.RunContinuationsAsynchronously;
        Task<TResult> task = Task.Factory.StartNew(
            () =>
            {
                cancellationToken.ThrowIfCancellationRequested();
                return call();
            },
            cancellationToken,
            Options,
            this);

        // A task ends as cancelled when it is executed, and not while it waits.
        using CancellationTokenRegistration withdrawal = cancellationToken.UnsafeRegister(
            _ =>
            {
                if (TryDequeue(task))
                {
                    TryExecuteTask(task);
                }
            },
            null);
        return await task;
    }

    /// <summary>Lets the threads end once nothing waits; does not wait for them.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            Monitor.PulseAll(_gate);
        }
    }

    protected override void QueueTask(Task task)
    {
        lock (_gate)
        {
            _waiting.AddLast(task);
            if (_waiting.Count <= _idle)
            {
                Monitor.Pulse(_gate);
            }
            else if (_threads < limit)
            {
                StartThread(task);
            }
        }
    }

    protected override bool TryDequeue(Task task)
    {
        lock (_gate)
        {
            return _waiting.Remove(task);
        }
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    protected override IEnumerable<Task> GetScheduledTasks()
    {
        lock (_gate)
        {
            return [.. _waiting];
        }
    }

    private void StartThread(Task task)
    {
        Thread thread = new(Run) { IsBackground = true, Name = name };
        try
        {
            thread.Start();
            _threads++;
        }
        catch (OutOfMemoryException) when (_threads > 0)
        {
            // The process may have no more threads: those that run take the call later.
        }
        catch (OutOfMemoryException)
        {
            _waiting.Remove(task);
            throw;
        }
    }

    private void Run()
    {
        while (TryTake(out Task? task))
        {
            TryExecuteTask(task);
        }
    }

    private bool TryTake([NotNullWhen(true)] out Task? task)
    {
        lock (_gate)
        {
            while (_waiting.First is null && !_disposed)
            {
                _idle++;
                Monitor.Wait(_gate);
                _idle--;
            }

            task = _waiting.First?.Value;
            if (task is null)
            {
                _threads--;
                return false;
            }

            _waiting.RemoveFirst();
            return true;
        }
    }
}
