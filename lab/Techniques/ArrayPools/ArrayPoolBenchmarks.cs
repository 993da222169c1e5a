using System.Buffers;
using BenchmarkDotNet.Attributes;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.ArrayPools;

/// <summary>A buffer of a given size, used once: allocated, or rented and returned.</summary>
public class ArrayPoolBenchmarks
{
    [Params(20, 100, 1_000, 10_000, 100_000)]
    public int SizeInBytes { get; set; }

    [GlobalSetup]
    public void Setup() => Agreement.Require(Touch.Sum, Allocate(), AllocateUninitialized(), RentAndReturn(), PooledBuffer());

    [Benchmark(Baseline = true)]
    public int Allocate() => Touch.FirstAndLast(new byte[SizeInBytes]);

    [Benchmark]
    public int AllocateUninitialized() => Touch.FirstAndLast(GC.AllocateUninitializedArray<byte>(SizeInBytes));

    [Benchmark]
    public int RentAndReturn()
    {
        byte[] array = ArrayPool<byte>.Shared.Rent(SizeInBytes);
        try
        {
            return Touch.FirstAndLast(array.AsSpan(0, SizeInBytes));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }

    /// <summary>The worker's: an owner beside the array, which counts rented buffers.</summary>
    [Benchmark]
    public int PooledBuffer()
    {
        using PooledBuffer buffer = BufferPool.Shared.Rent(SizeInBytes);
        return Touch.FirstAndLast(buffer.GetSpan(SizeInBytes)[..SizeInBytes]);
    }
}
