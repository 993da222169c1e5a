using FsCheck;
using FsCheck.Fluent;
using Quayside.Pipeline.Buffers;

namespace Pipeline.Tests.Buffers;

public sealed class PooledBufferTests : IDisposable
{
    private readonly TrackingArrayPool _arrays = new();
    private readonly BufferPool _pool;

    public PooledBufferTests() => _pool = new BufferPool(_arrays);

    public void Dispose()
    {
        _pool.Outstanding.ShouldBe(0);
        _arrays.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Rent_Fresh_IsEmptyAndHasTheCapacityAskedFor()
    {
        using PooledBuffer buffer = _pool.Rent(1_000);

        buffer.Length.ShouldBe(0);
        buffer.Capacity.ShouldBeGreaterThanOrEqualTo(1_000);
        buffer.WrittenMemory.IsEmpty.ShouldBeTrue();
        buffer.WrittenSpan.IsEmpty.ShouldBeTrue();
        _pool.Outstanding.ShouldBe(1);
    }

    [Fact]
    public void Rent_ZeroBytes_StillTakesBytes()
    {
        using PooledBuffer buffer = _pool.Rent(0);

        buffer.Append([1, 2, 3]);

        buffer.WrittenSpan.ToArray().ShouldBe([1, 2, 3]);
    }

    [Fact]
    public void Rent_Negative_Throws() => Should.Throw<ArgumentOutOfRangeException>(() => _pool.Rent(-1));

    [Fact]
    public void Append_BeyondTheCapacity_GrowsAndKeepsTheBytes()
    {
        using PooledBuffer buffer = _pool.Rent(16);
        byte[] expected = [.. Enumerable.Range(0, 1_000).Select(i => (byte)i)];

        foreach (byte[] piece in expected.Chunk(7))
        {
            buffer.Append(piece);
        }

        buffer.WrittenSpan.ToArray().ShouldBe(expected);
        buffer.WrittenMemory.ToArray().ShouldBe(expected);
        _arrays.Outstanding.ShouldBe(1);
    }

    [Fact]
    public void Append_ByteByByte_GrowsGeometrically()
    {
        using PooledBuffer buffer = _pool.Rent(16);

        for (int i = 0; i < 100_000; i++)
        {
            buffer.Append([1]);
        }

        _arrays.Requests.Count.ShouldBe(14, "16 bytes doubled 13 times reach 131,072");
    }

    [Fact]
    public void GetSpan_MoreThanDouble_GrowsToWhatIsNeeded()
    {
        using PooledBuffer buffer = _pool.Rent(16);
        buffer.Append([1, 2, 3]);

        buffer.GetSpan(5_000).Length.ShouldBeGreaterThanOrEqualTo(5_000);

        _arrays.Requests.ShouldBe([16, 5_003]);
        buffer.WrittenSpan.ToArray().ShouldBe([1, 2, 3]);
    }

    [Fact]
    public void GetMemoryAndGetSpan_FullBufferWithoutHint_AreNeverEmpty()
    {
        using PooledBuffer buffer = _pool.Rent(16);
        buffer.Advance(buffer.Capacity);

        buffer.GetMemory().IsEmpty.ShouldBeFalse();
        buffer.Advance(buffer.Capacity - buffer.Length);
        buffer.GetSpan().IsEmpty.ShouldBeFalse();
    }

    [Fact]
    public void Advance_BeyondTheCapacityOrNegative_Throws()
    {
        using PooledBuffer buffer = _pool.Rent(16);

        Should.Throw<ArgumentOutOfRangeException>(() => buffer.Advance(buffer.Capacity + 1));
        Should.Throw<ArgumentOutOfRangeException>(() => buffer.Advance(-1));
        buffer.Length.ShouldBe(0);
    }

    [Fact]
    public void GetSpan_NegativeHint_Throws()
    {
        using PooledBuffer buffer = _pool.Rent(16);

        Should.Throw<ArgumentOutOfRangeException>(() => buffer.GetSpan(-1).Length);
    }

    [Fact]
    public void Truncate_TakesBytesBackAndKeepsTheCapacity()
    {
        using PooledBuffer buffer = _pool.Rent(16);
        buffer.Append([1, 2, 3, 4]);
        int capacity = buffer.Capacity;

        buffer.Truncate(1);
        buffer.Append([9]);

        buffer.WrittenSpan.ToArray().ShouldBe([1, 9]);
        buffer.Capacity.ShouldBe(capacity);
        Should.Throw<ArgumentOutOfRangeException>(() => buffer.Truncate(3));
        Should.Throw<ArgumentOutOfRangeException>(() => buffer.Truncate(-1));
    }

    [Fact]
    public void Dispose_Twice_ReturnsTheArrayOnce()
    {
        PooledBuffer buffer = _pool.Rent();

        buffer.Dispose();
        buffer.Dispose();

        _pool.Outstanding.ShouldBe(0);
        _arrays.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Dispose_FromManyThreads_ReturnsTheArrayOnce()
    {
        for (int i = 0; i < 200; i++)
        {
            PooledBuffer buffer = _pool.Rent();
            Parallel.For(0, 4, _ => buffer.Dispose());
            _pool.Outstanding.ShouldBe(0);
        }
    }

    [Fact]
    public void Use_AfterDispose_Throws()
    {
        PooledBuffer buffer = _pool.Rent();
        buffer.Append([1]);
        buffer.Dispose();

        buffer.Length.ShouldBe(0);
        Should.Throw<ObjectDisposedException>(() => buffer.Append([1]));
        Should.Throw<ObjectDisposedException>(() => buffer.WrittenMemory.Length);
        Should.Throw<ObjectDisposedException>(() => buffer.WrittenSpan.Length);
        Should.Throw<ObjectDisposedException>(() => buffer.GetMemory().Length);
        Should.Throw<ObjectDisposedException>(() => buffer.Advance(0));
    }

    [Fact]
    public void Rent_AfterDispose_ReusesTheOwnerEmpty()
    {
        PooledBuffer first = _pool.Rent();
        first.Append([1, 2, 3]);
        first.Dispose();

        using PooledBuffer second = _pool.Rent();

        second.ShouldBeSameAs(first);
        second.Length.ShouldBe(0);
    }

    [Fact]
    public void Rent_WithoutAPoolOfArrays_UsesTheSharedOne()
    {
        BufferPool pool = new();

        using (PooledBuffer buffer = pool.Rent(5_000))
        {
            buffer.Capacity.ShouldBeGreaterThanOrEqualTo(5_000);
            pool.Outstanding.ShouldBe(1);
        }

        pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void RandomUse_HoldsTheSameBytesAsAList()
    {
        Property likeAList = Prop.ForAll(
            Arb.From(Gen.Choose(-20, 300).ArrayOf()),
            sizes =>
            {
                List<byte> expected = [];
                using PooledBuffer buffer = _pool.Rent(1);
                byte value = 0;
                foreach (int size in sizes)
                {
                    if (size < 0)
                    {
                        int length = Math.Max(0, expected.Count + size);
                        expected.RemoveRange(length, expected.Count - length);
                        buffer.Truncate(length);
                        continue;
                    }

                    byte[] piece = [.. Enumerable.Repeat(++value, size)];
                    expected.AddRange(piece);
                    if (size % 2 == 0)
                    {
                        buffer.Append(piece);
                    }
                    else
                    {
                        piece.CopyTo(buffer.GetSpan(size));
                        buffer.Advance(size);
                    }
                }

                return buffer.WrittenSpan.SequenceEqual(expected.ToArray()) && buffer.Length == expected.Count;
            });

        Check.One(Config.QuickThrowOnFailure.WithQuietOnSuccess(true), likeAList);
    }
}
