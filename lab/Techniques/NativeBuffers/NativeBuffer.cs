using System.Buffers;

namespace Lab.Techniques.NativeBuffers;

/// <summary>
/// The owner of one block outside the collector's heap. The caller that rented it disposes it, once, and drops the reference, since the
/// pool reuses the object. An immediate second call does nothing. Spans and memories taken from it are borrows that end there.
/// </summary>
internal sealed unsafe class NativeBuffer(NativeBufferPool pool, NativeBlock block) : MemoryManager<byte>
{
    private int _rented;

    internal NativeBlock Block => block;

    /// <exception cref="ObjectDisposedException">It was returned to the pool.</exception>
    public override Span<byte> GetSpan()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _rented) == 0, this);
        return new Span<byte>(block.Pointer, block.Bytes);
    }

    /// <summary>The memory never moves; nothing has to be pinned.</summary>
    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _rented) == 0, this);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)block.Bytes, nameof(elementIndex));
        return new MemoryHandle(block.Pointer + elementIndex);
    }

    public override void Unpin()
    {
    }

    internal void Open() => Volatile.Write(ref _rented, 1);

    protected override void Dispose(bool disposing)
    {
        if (Interlocked.Exchange(ref _rented, 0) == 1)
        {
            pool.Close(this);
        }
    }
}
