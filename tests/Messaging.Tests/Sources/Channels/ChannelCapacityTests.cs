using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Sources.Channels;

public sealed class ChannelCapacityTests
{
    // Only a hang takes so long, on a busy machine too.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    [Fact]
    public async Task Take_None_WaitsInOrder()
    {
        ChannelCapacity space = new(1);
        space.TakeAsync(CancellationToken.None).IsCompletedSuccessfully.ShouldBeTrue();
        Task first = space.TakeAsync(CancellationToken.None).AsTask();
        Task second = space.TakeAsync(CancellationToken.None).AsTask();

        await ShouldBeGrantedInOrderAsync(space, first, second);
    }

    [Fact]
    public async Task Take_Cancelled_LeavesTheSpaceToTheNext()
    {
        ChannelCapacity space = new(1);
        await space.TakeAsync(CancellationToken.None);
        using CancellationTokenSource cancellation = new();
        Task cancelled = space.TakeAsync(cancellation.Token).AsTask();
        Task next = space.TakeAsync(CancellationToken.None).AsTask();

        await cancellation.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => cancelled.WaitAsync(WaitLimit));
        space.Return();
        await next.WaitAsync(WaitLimit);

        space.Return();
        space.TakeAsync(CancellationToken.None).IsCompletedSuccessfully.ShouldBeTrue();
        space.TakeAsync(CancellationToken.None).IsCompleted.ShouldBeFalse();
    }

    [Fact]
    public async Task Take_AlreadyCancelled_TakesNothing()
    {
        ChannelCapacity space = new(1);

        space.TakeAsync(new CancellationToken(canceled: true)).IsCanceled.ShouldBeTrue();

        await space.TakeAsync(CancellationToken.None).AsTask().WaitAsync(WaitLimit);
    }

    [Fact]
    public async Task Take_ResultIsReadEarly_ThrowsAndTheNextWaitsApart()
    {
        ChannelCapacity space = new(1);
        await space.TakeAsync(CancellationToken.None);
        ValueTask early = space.TakeAsync(CancellationToken.None);

        Should.Throw<InvalidOperationException>(() => early.GetAwaiter().GetResult());

        await ShouldBeGrantedInOrderAsync(space, early.AsTask(), space.TakeAsync(CancellationToken.None).AsTask());
    }

    [Fact]
    public async Task Take_ResultIsReadTwice_ThrowsAndTheNextTwoWaitApart()
    {
        ChannelCapacity space = new(1);
        await space.TakeAsync(CancellationToken.None);
        ValueTask twice = space.TakeAsync(CancellationToken.None);
        space.Return();
        await twice.AsTask().WaitAsync(WaitLimit);

        Should.Throw<InvalidOperationException>(() => twice.GetAwaiter().GetResult());

        await ShouldBeGrantedInOrderAsync(space, space.TakeAsync(CancellationToken.None).AsTask(), space.TakeAsync(CancellationToken.None).AsTask());
    }

    [Fact]
    public async Task Take_ManyThreadsSomeOfWhichGiveUp_TheBoundHoldsAndNoSpaceIsLost()
    {
        const int Capacity = 3;
        ChannelCapacity space = new(Capacity);
        int taken = 0;
        int most = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(worker => Task.Run(async () =>
        {
            Random random = new(worker);
            for (int round = 0; round < 2_000; round++)
            {
                using CancellationTokenSource cancellation = new();
                ValueTask take = space.TakeAsync(cancellation.Token);
                if (random.Next(3) == 0)
                {
                    await cancellation.CancelAsync();
                }

                try
                {
                    await take;
                }
                catch (OperationCanceledException)
                {
                    continue;
                }

                int now = Interlocked.Increment(ref taken);
                InterlockedMax(ref most, now);
                if (random.Next(4) == 0)
                {
                    await Task.Yield();
                }

                Interlocked.Decrement(ref taken);
                space.Return();
            }
        }))).WaitAsync(WaitLimit);

        most.ShouldBeInRange(1, Capacity);
        for (int i = 0; i < Capacity; i++)
        {
            space.TakeAsync(CancellationToken.None).IsCompletedSuccessfully.ShouldBeTrue();
        }

        space.TakeAsync(CancellationToken.None).IsCompleted.ShouldBeFalse();
    }

    private static async Task ShouldBeGrantedInOrderAsync(ChannelCapacity space, Task first, Task second)
    {
        space.Return();
        await first.WaitAsync(WaitLimit);
        second.IsCompleted.ShouldBeFalse();

        space.Return();
        await second.WaitAsync(WaitLimit);
    }

    private static void InterlockedMax(ref int target, int value)
    {
        for (int seen = Volatile.Read(ref target); seen < value;)
        {
            int found = Interlocked.CompareExchange(ref target, value, seen);
            if (found == seen)
            {
                return;
            }

            seen = found;
        }
    }
}
