namespace Quayside.Messaging.Aws;

/// <summary>
/// The clock of signatures: the machine's clock plus a correction learned from the services, which refuse a signature that is more than
/// 5 minutes off (S3: 15). Only signing uses it; deadlines and timers use the monotonic clock. Threads: any.
/// </summary>
internal sealed class AwsClock(TimeProvider time)
{
    private long _offsetTicks;
    private int _corrections;

    /// <summary>The correction of the machine's clock; zero until a service has refused a signature's time.</summary>
    public TimeSpan Offset => TimeSpan.FromTicks(Volatile.Read(ref _offsetTicks));

    /// <summary>Number of corrections, for reports.</summary>
    public int Corrections => Volatile.Read(ref _corrections);

    public DateTimeOffset UtcNow => time.GetUtcNow() + Offset;

    /// <summary>Adopts the time of a response's Date header (whole seconds; the response's latency is small compared with the limits).</summary>
    public void Correct(DateTimeOffset serverTime)
    {
        Volatile.Write(ref _offsetTicks, (serverTime - time.GetUtcNow()).Ticks);
        Interlocked.Increment(ref _corrections);
    }
}
