using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class SharedSyncTests
{
    // Only a hang takes so long, on a busy machine too.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    [Fact]
    public async Task Run_WhileAnotherRuns_WaitsForOneThatBeganLaterAndSharesIt()
    {
        using SemaphoreSlim begun = new(0);
        using SemaphoreSlim allowed = new(0);
        int count = 0;
        SharedSync sync = new(() =>
        {
            Interlocked.Increment(ref count);
            begun.Release();
            allowed.Wait(WaitLimit).ShouldBeTrue();
        }, SystemFileHost.Instance);
        Task first = Start(sync);
        (await begun.WaitAsync(WaitLimit)).ShouldBeTrue();
        int arrived = 0;
        Task[] later = [.. Enumerable.Range(0, 5).Select(_ => Start(sync, () => Interlocked.Increment(ref arrived)))];
        while (Volatile.Read(ref arrived) < later.Length)
        {
            await Task.Yield();
        }

        allowed.Release();
        await first.WaitAsync(WaitLimit);
        later.ShouldAllBe(task => !task.IsCompleted);
        (await begun.WaitAsync(WaitLimit)).ShouldBeTrue();

        // A thread that had arrived but not yet joined when the second began needs a third.
        allowed.Release(later.Length);
        await Task.WhenAll(later).WaitAsync(WaitLimit);
        count.ShouldBeInRange(2, 1 + later.Length);
    }

    [Fact]
    public async Task Run_ManyThreads_EachReturnsAfterASyncThatBeganLater()
    {
        long begun = 0;
        long ended = 0;
        SharedSync sync = new(() =>
        {
            long mine = Interlocked.Increment(ref begun);
            Thread.Yield();
            Volatile.Write(ref ended, mine);
        }, SystemFileHost.Instance);

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < 250; i++)
                {
                    long before = Volatile.Read(ref begun);
                    sync.Run();
                    Volatile.Read(ref ended).ShouldBeGreaterThan(before);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default))).WaitAsync(WaitLimit);

        // At most one at a time.
        begun.ShouldBe(ended);
    }

    [Fact]
    public async Task Run_Fails_EveryThreadThatSharesItGetsTheException()
    {
        using SemaphoreSlim begun = new(0);
        using SemaphoreSlim allowed = new(0);
        SharedSync sync = new(() =>
        {
            begun.Release();
            allowed.Wait(WaitLimit).ShouldBeTrue();
            throw new IOException("fsync failed", 5);
        }, SystemFileHost.Instance);
        Task first = Start(sync);
        await begun.WaitAsync(WaitLimit);
        Task second = Start(sync);

        allowed.Release(2);

        (await Should.ThrowAsync<IOException>(() => first.WaitAsync(WaitLimit))).HResult.ShouldBe(5);
        (await Should.ThrowAsync<IOException>(() => second.WaitAsync(WaitLimit))).HResult.ShouldBe(5);
    }

    private static Task Start(SharedSync sync, Action? arrived = null) => Task.Factory.StartNew(
        () =>
        {
            arrived?.Invoke();
            sync.Run();
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);
}
