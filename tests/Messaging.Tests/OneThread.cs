using System.Diagnostics.CodeAnalysis;

namespace Messaging.Tests;

/// <summary>
/// The pool of this process with one thread, for tests that move a held clock: work items run one after another in the order in which they were
/// queued, as in the simulation. <see cref="RestAsync"/> returns when none is left, so that a test waits for no real time and each step of its
/// clock finds the code under test at rest. All other threads of the pool are blocked for as long: no other test may run beside these.
/// </summary>
[SuppressMessage("Design", "CA1001:Types that own disposable fields should be disposable", Justification = "xunit calls DisposeAsync")]
public sealed class OneThread : IAsyncLifetime
{
    // Forced numbers of threads cannot be changed.
    private const string Forced =
        "The pool cannot be limited to one thread. Run these tests without the environment variables DOTNET_ThreadPool_ForceMinWorkerThreads and "
        + "DOTNET_ThreadPool_ForceMaxWorkerThreads.";

    private static volatile OneThread? s_current;

    private readonly ManualResetEventSlim _ended = new();
    private (int Workers, int Ports) _min;
    private (int Workers, int Ports) _max;
    private int _threads = Environment.ProcessorCount + 1;

    /// <summary>True while the pool has one thread.</summary>
    public static bool IsActive => s_current is not null;

    public async ValueTask InitializeAsync()
    {
        ThreadPool.GetMinThreads(out _min.Workers, out _min.Ports);
        ThreadPool.GetMaxThreads(out _max.Workers, out _max.Ports);
        Limit(_threads);

        // The caller may be on a thread of its own.
        await Task.Yield();
        for (int others = 1; others < Environment.ProcessorCount + 1; others++)
        {
            BlockAnother();
        }

        new Thread(ReleaseWhenStuck) { IsBackground = true, Name = "one-thread watch" }.Start();
        s_current = this;
    }

    public ValueTask DisposeAsync()
    {
        s_current = null;
        _ended.Set();
        ThreadPool.SetMaxThreads(_max.Workers, _max.Ports);
        ThreadPool.SetMinThreads(_min.Workers, _min.Ports);
        return ValueTask.CompletedTask;
    }

    /// <summary>Returns when the pool has no more work: until the clock moves or the test does something, nothing happens.</summary>
    public static Task RestAsync()
    {
        Rest rest = new();
        rest.Queue();
        return rest.Task;
    }

    private void Limit(int threads)
    {
        bool isLimited =
            ThreadPool.SetMinThreads(1, _min.Ports) && ThreadPool.SetMaxThreads(threads, _max.Ports) && ThreadPool.SetMinThreads(threads, _min.Ports);
        isLimited.ShouldBeTrue(Forced);
    }

    /// <summary>Called on a thread of the pool, which it keeps until another one has taken the work that blocks it.</summary>
    private void BlockAnother()
    {
        using ManualResetEventSlim taken = new();
        ThreadPool.UnsafeQueueUserWorkItem(
            item =>
            {
                item.taken.Set();
                item._ended.Wait(TimeSpan.FromHours(1));
            },
            (taken, _ended),
            preferLocal: false);
        if (!taken.Wait(TimeSpan.FromSeconds(5)))
        {
            // A test that ran earlier still blocks a thread.
            Limit(++_threads);
            taken.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue("No thread of the pool took its work.");
        }
    }

    /// <summary>A test that blocks the only thread has to fail at its limit, for which the pool needs another thread.</summary>
    private void ReleaseWhenStuck()
    {
        long completed = -1;
        for (int stuck = 0; stuck < 60 && !_ended.Wait(TimeSpan.FromSeconds(1)); stuck++)
        {
            if (ThreadPool.CompletedWorkItemCount != completed || ThreadPool.PendingWorkItemCount == 0)
            {
                completed = ThreadPool.CompletedWorkItemCount;
                stuck = 0;
            }
        }

        s_current = null;
        _ended.Set();
    }

    private sealed class Rest : IThreadPoolWorkItem
    {
        // Its continuation is the test, which goes on before anything else.
        private readonly TaskCompletionSource _source = new();

        public Task Task => _source.Task;

        public void Queue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);

        public void Execute()
        {
            ThreadPool.GetAvailableThreads(out int free, out _);
            if (free > 0 && s_current is { } pool)
            {
                // One that a test which ran earlier had blocked.
                pool.BlockAnother();
            }
            else if (ThreadPool.PendingWorkItemCount == 0)
            {
                _source.SetResult();
                return;
            }

            Queue();
        }
    }
}
