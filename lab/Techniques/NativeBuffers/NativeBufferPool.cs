using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.NativeBuffers;

/// <summary>
/// Blocks of one size outside the collector's heap. Threads: any. Bounded: blocks beyond <paramref name="retained"/> are freed on
/// return. Disposal frees the idle blocks; rented blocks are freed when they are returned.
/// </summary>
/// <param name="blockBytes">Bytes of every block.</param>
/// <param name="retained">The maximum number of idle blocks kept.</param>
internal sealed class NativeBufferPool(int blockBytes = 1 << 20, int retained = 16) : IDisposable
{
    private readonly BoundedPool<NativeBuffer> _idle = new(retained);
    private int _outstanding;
    private volatile bool _disposed;

    /// <summary>Buffers rented and not yet disposed.</summary>
    public int Outstanding => Volatile.Read(ref _outstanding);

    /// <returns>A block with the bytes that its last user left.</returns>
    public NativeBuffer Rent()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (!_idle.TryTake(out NativeBuffer? buffer))
        {
            buffer = new NativeBuffer(this, new NativeBlock(blockBytes));
        }

        Interlocked.Increment(ref _outstanding);
        buffer.Open();
        return buffer;
    }

    public void Dispose()
    {
        _disposed = true;
        FreeIdle();
    }

    internal void Close(NativeBuffer buffer)
    {
        Interlocked.Decrement(ref _outstanding);
        if (!_idle.Return(buffer))
        {
            buffer.Block.Dispose();
        }

        // Returned while the pool was being disposed: one of the two threads sees the other's change.
        if (_disposed)
        {
            FreeIdle();
        }
    }

    private void FreeIdle()
    {
        while (_idle.TryTake(out NativeBuffer? buffer))
        {
            buffer.Block.Dispose();
        }
    }
}
