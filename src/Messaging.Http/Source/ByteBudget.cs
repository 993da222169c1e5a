namespace Messaging.Http.Source;

/// <summary>A limit on bytes held at once. Threads: any.</summary>
internal sealed class ByteBudget(long limit)
{
    private long _taken;

    public long Taken => Volatile.Read(ref _taken);

    /// <summary>Reserves the bytes if they fit. A negative number returns bytes, which always succeeds.</summary>
    public bool TryTake(long bytes)
    {
        // Another caller's attempt counts until it is taken back, so the sum may be above the limit for a moment.
        if (Interlocked.Add(ref _taken, bytes) <= limit || bytes <= 0)
        {
            return true;
        }

        Interlocked.Add(ref _taken, -bytes);
        return false;
    }

    public void Return(long bytes) => Interlocked.Add(ref _taken, -bytes);
}
