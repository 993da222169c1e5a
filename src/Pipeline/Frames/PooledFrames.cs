namespace Pipeline.Frames;

/// <summary>The bound of the frame pools, shared by all methods of the process.</summary>
public static class PooledFrames
{
    /// <summary>The bound before anything is reserved: 64 messages in flight through 64 parts that share one method.</summary>
    public const int DefaultCapacity = 64 * 64;

    private static int _capacity = DefaultCapacity;

    /// <summary>Idle frames that are kept for each asynchronous method; a burst beyond them is left to the garbage collector.</summary>
    public static int Capacity => Volatile.Read(ref _capacity);

    /// <summary>
    /// Raises the bound to at least <paramref name="frames"/>: messages in flight times the parts of the longest chain is always
    /// enough. Allocates nothing itself and never lowers the bound. Threads: any.
    /// </summary>
    public static void Reserve(int frames)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(frames);
        int current = Volatile.Read(ref _capacity);
        while (current < frames)
        {
            int seen = Interlocked.CompareExchange(ref _capacity, frames, current);
            if (seen == current)
            {
                return;
            }

            current = seen;
        }
    }
}
