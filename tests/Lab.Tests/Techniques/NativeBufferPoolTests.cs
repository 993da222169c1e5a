using System.Buffers;
using Lab.Techniques.NativeBuffers;

namespace Lab.Tests.Techniques;

/// <summary>Memory outside the heap has one owner at a time and is freed.</summary>
public sealed class NativeBufferPoolTests
{
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
