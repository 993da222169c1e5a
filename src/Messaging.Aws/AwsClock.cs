namespace Messaging.Aws;

/// <summary>
/// The time requests are signed with: the machine's clock plus a correction learned from the services, since a signature more
/// than 5 minutes off (S3: 15) is refused. Only signing uses it; deadlines and timers stay on the monotonic clock. Threads: any.
/// </summary>
internal sealed class AwsClock(TimeProvider time)
{
    private long _offsetTicks;
    private int _corrections;

    /// <summary>What is added to the machine's clock; zero until a service has objected.</summary>
    public TimeSpan Offset => TimeSpan.FromTicks(Volatile.Read(ref _offsetTicks));

    /// <summary>How often a service's date was taken over; for reports.</summary>
    public int Corrections => Volatile.Read(ref _corrections);

    /// <summary>The corrected time.</summary>
    public DateTimeOffset UtcNow => time.GetUtcNow() + Offset;

    /// <summary>Takes over the time of a response's Date header (whole seconds; the answer's travel time is small beside the limits).</summary>
    public void Correct(DateTimeOffset serverTime)
    {
        Volatile.Write(ref _offsetTicks, (serverTime - time.GetUtcNow()).Ticks);
        Interlocked.Increment(ref _corrections);
    }
}
