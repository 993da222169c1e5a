namespace Quayside.Messaging.Recoverability;

/// <summary>Successes and failures of a time, in buckets of which the oldest is dropped at a time. Threads: one at a time.</summary>
/// <param name="length">The length of the window.</param>
/// <param name="time">The clock.</param>
internal sealed class FailureWindow(TimeSpan length, TimeProvider time)
{
    private const int Buckets = 6;

    // A bucket without failures must not overflow.
    private const int MaxPerUpdate = 1_000_000;

    private readonly long _bucketTicks = Math.Max(1, (long)(length.TotalSeconds * time.TimestampFrequency / Buckets));
    private readonly int[] _succeeded = new int[Buckets];
    private readonly int[] _failed = new int[Buckets];
    private long _bucket = -1;

    // Successes that are in the window or were.
    private long _counted;

    /// <summary>Moves the window to now. Successes count in the bucket of the last update.</summary>
    /// <param name="successes">All successes since the start.</param>
    public void Update(long successes)
    {
        long now = time.GetTimestamp() / _bucketTicks;
        if (_bucket < 0)
        {
            _bucket = now;
        }

        _succeeded[_bucket % Buckets] += (int)Math.Min(successes - _counted, MaxPerUpdate);
        _counted = successes;
        for (long steps = Math.Min(now - _bucket, Buckets); steps > 0; steps--)
        {
            long index = (now - steps + 1) % Buckets;
            _succeeded[index] = 0;
            _failed[index] = 0;
        }

        _bucket = now;
    }

    /// <summary>Counts a failure. The window must have been moved to now.</summary>
    public void AddFailure() => _failed[_bucket % Buckets]++;

    /// <summary>True when there are at least <paramref name="minimum"/> outcomes, and failures are at least that share of them.</summary>
    public bool Exceeds(int minimum, double ratio)
    {
        int failed = _failed.Sum();
        int outcomes = _succeeded.Sum() + failed;
        return outcomes >= minimum && failed >= ratio * outcomes;
    }

    public void Clear()
    {
        Array.Clear(_failed);
        Array.Clear(_succeeded);
    }
}
