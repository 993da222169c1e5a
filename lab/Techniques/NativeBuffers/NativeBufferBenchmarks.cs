using System.Buffers;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.NativeBuffers;

/// <summary>A large buffer, used once.</summary>
public unsafe class NativeBufferBenchmarks : IDisposable
{
    private NativeBufferPool _native = new();
    private ArrayPool<byte> _configured = ArrayPool<byte>.Shared;

    [Params(10_240, 1_048_576)]
    public int SizeInBytes { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _native = new NativeBufferPool(SizeInBytes);
        _configured = ArrayPool<byte>.Create(SizeInBytes, 16);
        Agreement.Require(Touch.Sum, New(), StackAlloc(), NativeAllocAndFree(), NativePool(), ArrayPoolShared(), ArrayPoolConfigured());
    }

    [Benchmark(Baseline = true)]
    public int New() => Touch.FirstAndLast(new byte[SizeInBytes]);

    [Benchmark]
    public int StackAlloc() => Touch.FirstAndLast(stackalloc byte[SizeInBytes]);

    [Benchmark]
    public int NativeAllocAndFree()
    {
        void* block = NativeMemory.Alloc((nuint)SizeInBytes);
        try
        {
            return Touch.FirstAndLast(new Span<byte>(block, SizeInBytes));
        }
        finally
        {
            NativeMemory.Free(block);
        }
    }

    [Benchmark]
    public int NativePool()
    {
        using IMemoryOwner<byte> owner = _native.Rent();
        return Touch.FirstAndLast(owner.Memory.Span);
    }

    [Benchmark]
    public int ArrayPoolShared() => RentAndReturn(ArrayPool<byte>.Shared);

    /// <summary>A separate pool that is configured with the longest array: the published table calls it size aware.</summary>
    [Benchmark]
    public int ArrayPoolConfigured() => RentAndReturn(_configured);

    [GlobalCleanup]
    public void Dispose()
    {
        _native.Dispose();
        GC.SuppressFinalize(this);
    }

    private int RentAndReturn(ArrayPool<byte> pool)
    {
        byte[] array = pool.Rent(SizeInBytes);
        try
        {
            return Touch.FirstAndLast(array.AsSpan(0, SizeInBytes));
        }
        finally
        {
            pool.Return(array);
        }
    }
}
