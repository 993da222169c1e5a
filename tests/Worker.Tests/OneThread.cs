using System.Diagnostics.CodeAnalysis;

namespace Worker.Tests;

/// <summary>
/// The pool of this process with one thread, for tests that move a held clock: work items run one after another in the order in which they were
/// queued, as in the simulation. <see cref="RestAsync"/> returns when none is left, so that a test waits for no real time and each step of its
/// clock finds the code under test at rest. All other threads of the pool are blocked for as long: no other test may run beside these.
/// </summary>
[SuppressMessage("Design", "CA1001:Types that own disposable fields should be disposable", Justification = "xunit calls DisposeAsync")]
public sealed class OneThread : IAsyncLifetime
{
    private static volatile bool s_isActive;

    private readonly ManualResetEventSlim _ended = new();
    private (int Workers, int Ports) _min;
    private (int Workers, int Ports) _max;

    /// <summary>True while the pool has one thread.</summary>
    public static bool IsActive => s_isActive;

    public async ValueTask InitializeAsync()
    {
        ThreadPool.GetMinThreads(out _min.Workers, out _min.Ports);
        ThreadPool.GetMaxThreads(out _max.Workers, out _max.Ports);
        int threads = Environment.ProcessorCount + 1;
        ThreadPool.SetMinThreads(threads, _min.Ports).ShouldBeTrue();
        ThreadPool.SetMaxThreads(threads, _max.Ports).ShouldBeTrue();

        // Called on the pool, whose queue is first.
        await Task.Yield();
        Thread watch = new(ReleaseWhenStuck) { IsBackground = true, Name = "one-thread watch" };
        watch.Start();

        // A thread that ends its last work counts as working until it waits: looked at twice.
        BlockOthers();
        await Task.Delay(20);
        BlockOthers();
        s_isActive = true;
    }

    public ValueTask DisposeAsync()
    {
        s_isActive = false;
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

    private void BlockOthers()
    {
        while (!_ended.IsSet)
        {
            ThreadPool.GetAvailableThreads(out int free, out _);
            if (free == 0)
            {
                return;
            }

            using ManualResetEventSlim blocked = new();
            ThreadPool.UnsafeQueueUserWorkItem(
                item =>
                {
                    item.blocked.Set();
                    item._ended.Wait();
                },
                (blocked, _ended),
                preferLocal: false);
            blocked.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue("A free thread of the pool did not take its work.");
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

        s_isActive = false;
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
            if (ThreadPool.PendingWorkItemCount == 0)
            {
                _source.SetResult();
                return;
            }

            Queue();
        }
    }
}
