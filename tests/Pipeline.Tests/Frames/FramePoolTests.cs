using Quayside.Pipeline.Frames;

namespace Pipeline.Tests.Frames;

public sealed class FramePoolTests
{
    [Fact]
    public void Return_MoreThanTheBound_TheRestIsLeftToTheCollector()
    {
        FramePool pool = new();
        FrameThread thread = new();
        int returned = PooledFrames.Capacity + (10 * FramePool.BatchSize);

        for (int i = 0; i < returned; i++)
        {
            pool.Return(new IdleFrame(), thread);
        }

        pool.SharedCount.ShouldBeLessThanOrEqualTo(PooledFrames.Capacity);
        pool.SharedCount.ShouldBeGreaterThan(PooledFrames.Capacity - FramePool.BatchSize);
        thread.MagazineOf(pool).Count.ShouldBeLessThan(2 * FramePool.BatchSize);
    }

    [Fact]
    public void TryRent_OnAnotherThread_GetsFramesBeyondTheFirstThreadsCache()
    {
        FramePool pool = new();
        FrameThread giver = new();
        FrameThread taker = new();
        HashSet<Frame> given = [.. Enumerable.Range(0, 100).Select(_ => new IdleFrame())];
        foreach (Frame frame in given)
        {
            pool.Return(frame, giver);
        }

        HashSet<Frame> taken = [];
        while (pool.TryRent(taker) is { } frame)
        {
            taken.Add(frame).ShouldBeTrue("a frame is rented once");
            frame.NextIdle.ShouldBeNull();
        }

        taken.IsSubsetOf(given).ShouldBeTrue();
        (taken.Count + giver.MagazineOf(pool).Count).ShouldBe(100);
        giver.MagazineOf(pool).Count.ShouldBeLessThan(2 * FramePool.BatchSize);
    }

    [Fact]
    public void RentAndReturn_ManyThreads_NoFrameIsRentedTwice()
    {
        FramePool pool = new();
        int twice = 0;
        Thread[] threads = [.. Enumerable.Range(0, 8).Select(seed => new Thread(() =>
        {
            FrameThread own = new();
            Random random = new(seed);
            Stack<IdleFrame> held = new();
            for (int i = 0; i < 50_000; i++)
            {
                if (held.Count == 0 || random.Next(100) < 51)
                {
                    IdleFrame frame = (IdleFrame?)pool.TryRent(own) ?? new IdleFrame();
                    if (Interlocked.Exchange(ref frame.Out, 1) != 0)
                    {
                        Interlocked.Increment(ref twice);
                    }

                    held.Push(frame);
                }
                else
                {
                    IdleFrame frame = held.Pop();
                    Volatile.Write(ref frame.Out, 0);
                    pool.Return(frame, own);
                }

                // In bursts, so that batches move between the threads.
                if (i % 1_000 == 999)
                {
                    while (held.TryPop(out IdleFrame? frame))
                    {
                        Volatile.Write(ref frame.Out, 0);
                        pool.Return(frame, own);
                    }
                }
            }
        }) { IsBackground = true })];

        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join(TimeSpan.FromSeconds(30)).ShouldBeTrue());

        twice.ShouldBe(0);
    }

    [Fact]
    public void MagazineOf_ManyPools_EachHasItsOwn()
    {
        FrameThread thread = new();
        FramePool[] pools = [.. Enumerable.Range(0, 100).Select(_ => new FramePool())];
        Frame[] frames = [.. pools.Select(_ => new IdleFrame())];
        for (int i = 0; i < pools.Length; i++)
        {
            pools[i].Return(frames[i], thread);
        }

        for (int i = 0; i < pools.Length; i++)
        {
            pools[i].TryRent(thread).ShouldBeSameAs(frames[i]);
            pools[i].TryRent(thread).ShouldBeNull();
        }
    }

    [Fact]
    public void Reserve_Less_NeverLowersTheBound()
    {
        int before = PooledFrames.Capacity;

        PooledFrames.Reserve(1);

        PooledFrames.Capacity.ShouldBeGreaterThanOrEqualTo(before);
        before.ShouldBeGreaterThanOrEqualTo(PooledFrames.DefaultCapacity);
        Should.Throw<ArgumentOutOfRangeException>(() => PooledFrames.Reserve(-1));
    }

    private sealed class IdleFrame : Frame
    {
        public int Out;

        protected override void MoveNext() => throw new NotSupportedException();

        protected override void Recycle(FrameThread thread) => throw new NotSupportedException();
    }
}
