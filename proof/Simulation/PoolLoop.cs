using System.Collections.Concurrent;
using System.Diagnostics;
using System.Reflection;

namespace Proof.Simulation;

/// <summary>
/// Runs a world on the pool's only thread. The pool's work items run in the order in which they were queued, or the world draws the next one; what
/// an item queues for its own thread runs right after it. When the pool is idle, or the world draws so, the world's next event runs.
/// </summary>
/// <param name="runNext">Runs the next event; false when there is none.</param>
/// <param name="atRest">Called before the next event while no work is ready.</param>
/// <param name="isEarly">True when the next event runs before the work that is ready.</param>
/// <param name="draw">Draws which of so many work items runs next; null for their order.</param>
internal sealed class PoolLoop(Func<bool> runNext, Action atRest, Func<bool> isEarly, Func<int, int>? draw) : IThreadPoolWorkItem
{
    // The pool has no interface for its queue.
    private static readonly ConcurrentQueue<object> Ready = FindQueue();

    private readonly ManualResetEventSlim _ended = new();
    private readonly List<object> _waiting = [];
    private Exception? _error;

    /// <summary>Runs until there is no next event.</summary>
    /// <param name="limit">The most processor time; ten times as much in real time, since a machine may have little for it.</param>
    /// <exception cref="HungException">It did not end within the limit.</exception>
    /// <exception cref="TargetInvocationException">An event, or the code of the worker that it ran, has thrown.</exception>
    public void Run(TimeSpan limit)
    {
        ThreadPool.GetMaxThreads(out int threads, out _);
        if (threads != 1)
        {
            throw new InvalidOperationException(
                $"The pool has {threads} threads, so the seed would not decide the order: run the program's own executable, "
                    + "whose runtimeconfig.json sets one thread.");
        }

        long started = Stopwatch.GetTimestamp();
        TimeSpan used = Environment.CpuUsage.TotalTime;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        while (!_ended.Wait(TimeSpan.FromSeconds(1)))
        {
            if (Environment.CpuUsage.TotalTime - used > limit || Stopwatch.GetElapsedTime(started) > 10 * limit)
            {
                throw new HungException(limit);
            }
        }

        if (_error is not null)
        {
            throw new TargetInvocationException(_error);
        }
    }

    public void Execute()
    {
        try
        {
            bool isAtRest = ThreadPool.PendingWorkItemCount == 0;
            if (isAtRest)
            {
                atRest();
            }

            if ((!isAtRest && !isEarly()) || runNext())
            {
                QueueAgain();
                return;
            }
        }
        catch (Exception exception)
        {
            _error = exception;
        }

        _ended.Set();
    }

    private static ConcurrentQueue<object> FindQueue()
    {
        const BindingFlags Any = BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance;
        object? queue = typeof(ThreadPool).GetField("s_workQueue", Any)?.GetValue(null);
        return queue?.GetType().GetField("workItems", Any)?.GetValue(queue) as ConcurrentQueue<object>
            ?? throw new InvalidOperationException("This version of .NET keeps the work of its pool elsewhere, so that the simulation cannot draw its order.");
    }

    private void QueueAgain()
    {
        if (draw is null || Ready.Count < 2)
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
            return;
        }

        while (Ready.TryDequeue(out object? item))
        {
            _waiting.Add(item);
        }

        int next = draw(_waiting.Count);
        Ready.Enqueue(_waiting[next]);
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        _waiting.RemoveAt(next);
        _waiting.ForEach(Ready.Enqueue);
        _waiting.Clear();
    }
}
