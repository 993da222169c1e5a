using System.Buffers;

namespace Quayside.Pipeline.Buffers;

/// <summary>
/// Rents out <see cref="PooledBuffer"/> objects over an <see cref="ArrayPool{T}"/>; the objects themselves are pooled too.
/// <see cref="Outstanding"/> is 0 once every buffer is disposed: tests assert it.
/// </summary>
/// <param name="arrays">Where the arrays come from; <see cref="ArrayPool{T}.Shared"/> when null.</param>
/// <param name="retainedOwners">The maximum number of idle buffer objects kept; the array pool bounds the arrays.</param>
internal sealed class BufferPool(ArrayPool<byte>? arrays = null, int retainedOwners = 2_048)
{
    private readonly ArrayPool<byte> _arrays = arrays ?? ArrayPool<byte>.Shared;
    private readonly BoundedPool<PooledBuffer> _owners = new(retainedOwners);

    // Buffers created and not dropped; a counter of rented ones would cost each message twice.
    private int _alive;

    /// <summary>The process-wide pool.</summary>
    public static BufferPool Shared { get; } = new();

    /// <summary>Buffers rented and not yet disposed; exact while no thread rents or disposes one.</summary>
    public int Outstanding => Volatile.Read(ref _alive) - _owners.Count;

    /// <summary>Rents an empty buffer that can take at least <paramref name="minimumCapacity"/> bytes without growing.</summary>
    public PooledBuffer Rent(int minimumCapacity = 256)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(minimumCapacity);
        if (!_owners.TryTake(out PooledBuffer? owner))
        {
            owner = new PooledBuffer(this);
            Interlocked.Increment(ref _alive);
        }

        owner.Open(_arrays.Rent(Math.Max(minimumCapacity, 16)));
        return owner;
    }

    internal byte[] RentArray(int minimumLength) => _arrays.Rent(minimumLength);

    internal void ReturnArray(byte[] array) => _arrays.Return(array);

    internal void Close(PooledBuffer owner)
    {
        if (!_owners.Return(owner))
        {
            Interlocked.Decrement(ref _alive);
        }
    }
}
