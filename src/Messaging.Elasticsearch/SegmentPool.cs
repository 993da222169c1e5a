using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>A bounded pool of the arrays that batches consist of. Threads: any.</summary>
/// <param name="retained">Maximum number of unused arrays in the pool.</param>
internal sealed class SegmentPool(int retained)
{
    /// <summary>Bytes of an array: a few hundred documents, and below the 85,000 bytes at which the large object heap begins.</summary>
    public const int SegmentBytes = 64 * 1024;

    private readonly BoundedPool<byte[]> _arrays = new(Math.Max(1, retained));
    private int _outstanding;

    /// <summary>Arrays lent and not yet returned.</summary>
    public int Outstanding => Volatile.Read(ref _outstanding);

    /// <summary>Lends an array of at least <paramref name="least"/> bytes.</summary>
    public byte[] Rent(int least)
    {
        Interlocked.Increment(ref _outstanding);
        return least <= SegmentBytes && _arrays.TryTake(out byte[]? array) ? array : GC.AllocateUninitializedArray<byte>(Math.Max(least, SegmentBytes));
    }

    /// <param name="array">The caller must not use it any more.</param>
    /// <param name="reusable">False when an operation may still read the array: it is then left to the garbage collector.</param>
    public void Return(byte[] array, bool reusable)
    {
        Interlocked.Decrement(ref _outstanding);

        // A larger array served a single large write.
        if (reusable && array.Length == SegmentBytes)
        {
            _arrays.Return(array);
        }
    }
}
