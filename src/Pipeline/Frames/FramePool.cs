namespace Quayside.Pipeline.Frames;

/// <summary>
/// The idle frames of one asynchronous method. A thread keeps up to two batches for itself, without synchronisation. Frames beyond
/// those move to a shared, bounded list, one batch at a time, and any thread refills from it. So any number of messages may
/// suspend on one thread and end on another. Nothing is allocated once there are as many frames as messages were ever in
/// flight. The runtime's own pooled builder keeps one frame per thread and core: 1.2 KB per message at 1,000 in flight.
/// </summary>
internal sealed class FramePool
{
    /// <summary>One lock per sixteen frames that change threads; a thread keeps at most 31.</summary>
    public const int BatchSize = 16;

    private static int _poolsMade;

    private readonly Lock _gate = new();
    private Frame[] _batches = new Frame[4];
    private int _batchCount;

    /// <summary>The pool's index among a thread's magazines.</summary>
    public int Index { get; } = Interlocked.Increment(ref _poolsMade) - 1;

    /// <summary>Frames in the shared list; a thread's own are not counted.</summary>
    public int SharedCount
    {
        get
        {
            lock (_gate)
            {
                return _batchCount * BatchSize;
            }
        }
    }

    public Frame? TryRent(FrameThread thread)
    {
        ref FrameThread.Magazine magazine = ref thread.MagazineOf(this);
        Frame? frame = magazine.Head;
        if (frame is null)
        {
            return Refill(ref magazine);
        }

        magazine.Head = frame.NextIdle;
        magazine.Count--;
        frame.NextIdle = null;
        return frame;
    }

    public void Return(Frame frame, FrameThread thread)
    {
        ref FrameThread.Magazine magazine = ref thread.MagazineOf(this);
        frame.NextIdle = magazine.Head;
        magazine.Head = frame;
        if (++magazine.Count == 2 * BatchSize)
        {
            Unload(ref magazine);
        }
    }

    private Frame? Refill(ref FrameThread.Magazine magazine)
    {
        Frame batch;
        lock (_gate)
        {
            if (_batchCount == 0)
            {
                return null;
            }

            batch = _batches[--_batchCount];
            _batches[_batchCount] = null!;
        }

        magazine.Head = batch.NextIdle;
        magazine.Count = BatchSize - 1;
        batch.NextIdle = null;
        return batch;
    }

    private void Unload(ref FrameThread.Magazine magazine)
    {
        Frame batch = magazine.Head!;
        Frame last = batch;
        for (int i = 1; i < BatchSize; i++)
        {
            last = last.NextIdle!;
        }

        magazine.Head = last.NextIdle;
        magazine.Count -= BatchSize;
        last.NextIdle = null;
        lock (_gate)
        {
            if ((_batchCount + 1) * BatchSize <= PooledFrames.Capacity)
            {
                if (_batchCount == _batches.Length)
                {
                    Array.Resize(ref _batches, 2 * _batchCount);
                }

                _batches[_batchCount++] = batch;
            }
        }
    }
}

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
