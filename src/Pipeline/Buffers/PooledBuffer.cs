using System.Buffers;

namespace Quayside.Pipeline.Buffers;

/// <summary>
/// A growable byte buffer with exactly one owner. Ownership: the caller that rented it disposes it, once, and drops the reference
/// (set the field to null) at the same time, since the pool reuses the object. Spans and memories taken from it are
/// borrows that end with <see cref="Dispose"/> and with the next growth. Threads: one at a time.
/// </summary>
public sealed class PooledBuffer : IBufferWriter<byte>, IDisposable
{
    private readonly BufferPool _pool;
    private byte[]? _array;
    private int _written;

    internal PooledBuffer(BufferPool pool) => _pool = pool;

    /// <summary>Bytes written so far.</summary>
    public int Length => _written;

    /// <summary>Bytes the buffer can hold without growing.</summary>
    public int Capacity => Array.Length;

    /// <summary>The bytes written so far; may be empty.</summary>
    public Memory<byte> WrittenMemory => new(Array, 0, _written);

    /// <summary>The bytes written so far; may be empty.</summary>
    public Span<byte> WrittenSpan => new(Array, 0, _written);

    private byte[] Array => _array ?? throw new ObjectDisposedException(nameof(PooledBuffer));

    /// <summary>Removes everything from <paramref name="length"/> on; the capacity stays.</summary>
    public void Truncate(int length)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, (uint)_written, nameof(length));
        _written = length;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)(Array.Length - _written), nameof(count));
        _written += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        EnsureFree(sizeHint);
        return Array.AsMemory(_written);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        EnsureFree(sizeHint);
        return Array.AsSpan(_written);
    }

    /// <summary>Appends a copy of <paramref name="bytes"/>.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        _written += bytes.Length;
    }

    /// <summary>Returns the bytes to the pool; a second call does nothing.</summary>
    public void Dispose()
    {
        byte[]? array = Interlocked.Exchange(ref _array, null);
        if (array is null)
        {
            return;
        }

        _written = 0;
        _pool.ReturnArray(array);
        _pool.Close(this);
    }

    internal void Open(byte[] array)
    {
        _array = array;
        _written = 0;
    }

    private void EnsureFree(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int needed = Math.Max(sizeHint, 1);
        if (Array.Length - _written < needed)
        {
            Grow(needed);
        }
    }

    private void Grow(int needed)
    {
        byte[] old = Array;
        byte[] grown = _pool.RentArray((int)Math.Min(Math.Max((long)old.Length * 2, (long)_written + needed), System.Array.MaxLength));
        old.AsSpan(0, _written).CopyTo(grown);
        _array = grown;
        _pool.ReturnArray(old);
    }
}
