namespace Messaging.Http.Source;

/// <summary>A limit on bytes held at once. Threads: any.</summary>
internal sealed class ByteBudget(long limit)
{
    private long _taken;

    public long Taken => Volatile.Read(ref _taken);

    /// <summary>Reserves the bytes if they fit.</summary>
    public bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _taken, bytes) <= limit)
        {
            return true;
        }

        Interlocked.Add(ref _taken, -bytes);
        return false;
    }

    public void Return(long bytes) => Interlocked.Add(ref _taken, -bytes);
}
