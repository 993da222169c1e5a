namespace Quayside.Messaging.Elasticsearch;

/// <summary>The sizes at which a batch is sent. The byte limit falls permanently after a request that was too large. Threads: any.</summary>
/// <param name="bytes">Bytes, as configured.</param>
/// <param name="documents">Documents, as configured.</param>
internal sealed class BatchLimits(int bytes, int documents)
{
    // A proxy with a limit below this would refuse single documents too.
    private const int MinBytes = SegmentPool.SegmentBytes;

    private int _bytes = bytes;

    public int Bytes => Volatile.Read(ref _bytes);

    public int Documents { get; } = documents;

    /// <summary>Lowers the byte limit to half of a request that was too large.</summary>
    /// <returns>True when the limit was lowered.</returns>
    public bool Learn(long refused)
    {
        int limit = (int)Math.Max(MinBytes, refused / 2);
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
