using Quayside.Pipeline.Buffers;

namespace Pipeline.Tests.Buffers;

public sealed class BoundedPoolTests
{
    [Fact]
    public void TryTake_EmptyPool_ReturnsFalse()
    {
        new BoundedPool<Item>(4).TryTake(out Item? item).ShouldBeFalse();
        item.ShouldBeNull();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void Return_BeyondTheCapacity_Drops(int capacity)
    {
        BoundedPool<Item> pool = new(capacity);

        for (int i = 0; i < capacity; i++)
        {
            pool.Return(new Item()).ShouldBeTrue();
        }

        pool.Return(new Item()).ShouldBeFalse();
        Drain(pool).Count.ShouldBe(capacity);
    }

    [Fact]
    public void Return_AfterTakingFromAFullPool_KeepsAgain()
    {
        BoundedPool<Item> pool = new(2);
        pool.Return(new Item());
        pool.Return(new Item());
        Drain(pool);

        pool.Return(new Item()).ShouldBeTrue();
        pool.Return(new Item()).ShouldBeTrue();
        pool.Return(new Item()).ShouldBeFalse();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void New_NoCapacity_Throws(int capacity) => Should.Throw<ArgumentOutOfRangeException>(() => new BoundedPool<Item>(capacity));

    [Fact]
    public void TakeAndReturn_ManyThreads_NoItemIsTakenTwiceAndTheBoundHolds()
    {
        const int Capacity = 8;
        const int Threads = 8;
        const int Rounds = 50_000;
        BoundedPool<Item> pool = new(Capacity);
        int handedOutTwice = 0;
        using Barrier start = new(Threads);
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            Stack<Item> held = new();
            start.SignalAndWait();
            for (int i = 0; i < Rounds; i++)
            {
                // Phases of different length, so that the pool is empty and full alternately.
                if (i % (7 + number) < 4)
                {
                    Item item = pool.TryTake(out Item? taken) ? taken : new Item();
                    if (Interlocked.Exchange(ref item.InUse, 1) != 0)
                    {
                        Interlocked.Increment(ref handedOutTwice);
                    }

                    held.Push(item);
                }
                else
                {
                    while (held.TryPop(out Item? item))
                    {
                        Volatile.Write(ref item.InUse, 0);
                        pool.Return(item);
                    }
                }
            }
        }) { IsBackground = true })];

        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join(TimeSpan.FromSeconds(30)).ShouldBeTrue());

        handedOutTwice.ShouldBe(0);
        List<Item> left = Drain(pool);
        left.ShouldBeUnique();
        left.Count.ShouldBeLessThanOrEqualTo(Capacity);

        // The races must not corrupt the count: the pool still takes exactly its capacity.
        Enumerable.Range(0, Capacity + 5).Count(_ => pool.Return(new Item())).ShouldBe(Capacity);
    }

    private static List<Item> Drain(BoundedPool<Item> pool)
    {
        List<Item> items = [];
        while (pool.TryTake(out Item? item))
        {
            items.Add(item);
        }

        return items;
    }

    private sealed class Item
    {
        public int InUse;
    }
}
