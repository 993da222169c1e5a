using System.Buffers;
using BenchmarkDotNet.Attributes;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.MemoryPools;

/// <summary>A buffer of 4 KiB with an owner that can be passed on: what the owner costs.</summary>
public class MemoryPoolBenchmarks
{
    private const int Bytes = 4_096;

    [GlobalSetup]
    public void Setup() => Agreement.Require(Touch.Sum, Allocate(), ArrayPoolWithoutOwner(), MemoryPoolShared(), BufferPoolOwner());

    [Benchmark(Baseline = true)]
    public int Allocate() => Touch.FirstAndLast(new byte[Bytes]);

    [Benchmark]
    public int ArrayPoolWithoutOwner()
    {
        byte[] array = ArrayPool<byte>.Shared.Rent(Bytes);
        try
        {
            return Touch.FirstAndLast(array.AsSpan(0, Bytes));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }

    [Benchmark]
    public int MemoryPoolShared()
    {
        using IMemoryOwner<byte> owner = MemoryPool<byte>.Shared.Rent(Bytes);
        return Touch.FirstAndLast(owner.Memory.Span[..Bytes]);
    }

    /// <summary>The worker's: the owner is pooled too.</summary>
    [Benchmark]
    public int BufferPoolOwner()
    {
        using PooledBuffer owner = BufferPool.Shared.Rent(Bytes);
        return Touch.FirstAndLast(owner.GetSpan(Bytes)[..Bytes]);
    }
}
