using Pipeline.Buffers;

namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>The arrays that batches are made of, used again up to a bound. Threads: any.</summary>
/// <param name="retained">The most unused arrays that are kept.</param>
internal sealed class SegmentPool(int retained)
{
    /// <summary>Bytes of an array: some hundred documents, and below 85,000 bytes, from where on arrays outlive every small collection.</summary>
    public const int SegmentBytes = 64 * 1024;

    private readonly BoundedPool<byte[]> _arrays = new(Math.Max(1, retained));
    private int _outstanding;

    /// <summary>Arrays lent and not given back.</summary>
    public int Outstanding => Volatile.Read(ref _outstanding);

    /// <summary>Lends an array of at least so many bytes.</summary>
    public byte[] Rent(int least)
    {
        Interlocked.Increment(ref _outstanding);
        return least <= SegmentBytes && _arrays.TryTake(out byte[]? array) ? array : GC.AllocateUninitializedArray<byte>(Math.Max(least, SegmentBytes));
    }

    /// <param name="array">Not to be touched any more.</param>
    /// <param name="reusable">False when an operation may still read it: then it is dropped.</param>
    public void Return(byte[] array, bool reusable)
    {
        Interlocked.Decrement(ref _outstanding);

        // A larger one served a single large write.
        if (reusable && array.Length == SegmentBytes)
        {
            _arrays.Return(array);
        }
    }
}
