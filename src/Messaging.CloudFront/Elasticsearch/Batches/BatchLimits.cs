namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>What a batch may hold. Bytes fall for good when the store refuses them as too many. Threads: any.</summary>
/// <param name="bytes">As configured.</param>
/// <param name="documents">As configured.</param>
internal sealed class BatchLimits(int bytes, int documents)
{
    // Below this a proxy with so small a limit would refuse single documents too.
    private const int LeastBytes = SegmentPool.SegmentBytes;

    private int _bytes = bytes;

    public int Bytes => Volatile.Read(ref _bytes);

    public int Documents { get; } = documents;

    /// <summary>A request of so many bytes was too large: half of it is the limit from here on.</summary>
    /// <returns>True when that lowered it.</returns>
    public bool Learn(long refused)
    {
        int limit = (int)Math.Max(LeastBytes, refused / 2);
        int seen = Bytes;
        while (limit < seen)
        {
            int before = Interlocked.CompareExchange(ref _bytes, limit, seen);
            if (before == seen)
            {
                return true;
            }

            seen = before;
        }

        return false;
    }
}
