using System.Buffers;
using Lab.Techniques.NativeBuffers;

namespace Lab.Tests.Techniques;

/// <summary>Memory outside the heap has one owner at a time and is freed.</summary>
public sealed class NativeBufferPoolTests
{
    [Fact]
    public void Rent_ABlock_HasTheSizeAndKeepsWhatIsWritten()
    {
        using NativeBufferPool pool = new(1_000);
        using IMemoryOwner<byte> owner = pool.Rent();
        Random.Shared.NextBytes(owner.Memory.Span);
        byte[] copy = owner.Memory.ToArray();

        GC.Collect();

        copy.Length.ShouldBe(1_000);
        owner.Memory.Span.SequenceEqual(copy).ShouldBeTrue();
    }

    [Fact]
    public void Rent_TwoConcurrently_DoNotShare()
    {
        using NativeBufferPool pool = new(16);
        using IMemoryOwner<byte> first = pool.Rent();
        using IMemoryOwner<byte> second = pool.Rent();

        first.Memory.Span.Fill(1);
        second.Memory.Span.Fill(2);

        first.Memory.ToArray().ShouldAllBe(one => one == 1);
        pool.Outstanding.ShouldBe(2);
    }

    [Fact]
    public void Rent_AfterReturn_GivesTheSameBlockAgain()
    {
        using NativeBufferPool pool = new(16);
        NativeBuffer first = pool.Rent();
        Give(first);

        NativeBuffer second = pool.Rent();

        second.ShouldBeSameAs(first);
        Give(second);
        pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Dispose_Twice_ReturnsOnce()
    {
        using NativeBufferPool pool = new(16);
        NativeBuffer buffer = pool.Rent();
        Give(buffer);
        Give(buffer);

        pool.Outstanding.ShouldBe(0);
        pool.Rent().ShouldNotBeSameAs(pool.Rent());
    }

    [Fact]
    public void GetSpan_AfterDispose_Throws()
    {
        using NativeBufferPool pool = new(16);
        NativeBuffer buffer = pool.Rent();
        Memory<byte> borrowed = buffer.Memory;
        Give(buffer);

        Should.Throw<ObjectDisposedException>(() => borrowed.Span.Length);
        Should.Throw<ObjectDisposedException>(() => borrowed.Pin());
    }

    [Fact]
    public void Return_MoreThanRetained_FreesTheRest()
    {
        using NativeBufferPool pool = new(16, retained: 1);
        NativeBuffer first = pool.Rent();
        NativeBuffer second = pool.Rent();
        Give(first);
        Give(second);

        (first.Block.IsClosed, second.Block.IsClosed).ShouldBe((false, true));
    }

    [Fact]
    public void Dispose_Pool_FreesIdleAndReturnedBlocks()
    {
        NativeBufferPool pool = new(16);
        NativeBuffer idle = pool.Rent();
        NativeBuffer used = pool.Rent();
        Give(idle);
        pool.Dispose();

        (idle.Block.IsClosed, used.Block.IsClosed).ShouldBe((true, false));
        used.GetSpan().Fill(1);
        Give(used);
        used.Block.IsClosed.ShouldBeTrue();
        Should.Throw<ObjectDisposedException>(() => pool.Rent());
    }

    [Fact]
    public async Task Rent_ManyThreads_NeverShareABlock()
    {
        using NativeBufferPool pool = new(64, retained: 3);
        int[] wrong = await Task.WhenAll(Enumerable.Range(1, 6).Select(mark => Task.Run(() =>
        {
            int mixed = 0;
            for (int round = 0; round < 5_000; round++)
            {
                using IMemoryOwner<byte> owner = pool.Rent();
                owner.Memory.Span.Fill((byte)mark);
                mixed += owner.Memory.Span.ContainsAnyExcept((byte)mark) ? 1 : 0;
            }

            return mixed;
        })));

        wrong.Sum().ShouldBe(0);
        pool.Outstanding.ShouldBe(0);
    }

    private static void Give(NativeBuffer buffer) => ((IDisposable)buffer).Dispose();
}
