using System.Runtime.InteropServices;

namespace Harness.Collecting;

/// <summary>
/// Adds up the reported objects. The runtime reports the first object of a type, but not the first one on each further thread: there it
/// only marks the type as known. This class adds the missing object with the type's smallest size when the thread reports another. An
/// object that is a further thread's only one of its type stays uncounted. And when a thread knew the type already, as a type argument of
/// another, one object too many is added. So the error is at most one object per type and thread.
/// </summary>
internal sealed class AllocationTotals
{
    private readonly HashSet<(ulong Type, int Thread)> _known = [];
    private readonly Dictionary<ulong, Tally> _tallies = [];

    /// <param name="type">The runtime's address of the type.</param>
    /// <param name="thread">The thread that allocated.</param>
    /// <param name="bytes">The objects' size as reported, without the padding to the next word.</param>
    /// <param name="count">Number of objects reported; more than one only if the runtime samples.</param>
    /// <param name="measured">False before the measured span: the object is not counted.</param>
    public void Add(ulong type, int thread, long bytes, long count, bool measured)
    {
        ref Tally tally = ref CollectionsMarshal.GetValueRefOrAddDefault(_tallies, type, out bool isFurtherThread);
        bool isFirstOfThread = _known.Add((type, thread));
        if (!measured)
        {
            return;
        }

        long aligned = (bytes + 7) & ~7L;
        tally.Bytes += aligned;
        tally.Count += count;
        tally.Smallest = tally.Smallest == 0 ? aligned / count : Math.Min(tally.Smallest, aligned / count);
        if (isFirstOfThread && isFurtherThread)
        {
            tally.Unreported++;
        }
    }

    public CollectedType[] ToTypes() =>
    [
        .. _tallies
            .Where(entry => entry.Value.Count > 0)
            .Select(
                entry => new CollectedType(
                    entry.Key, entry.Value.Bytes + (entry.Value.Unreported * entry.Value.Smallest), entry.Value.Count + entry.Value.Unreported)),
    ];

    private struct Tally
    {
        public long Bytes;
        public long Count;
        public long Unreported;
        public long Smallest;
    }
}
