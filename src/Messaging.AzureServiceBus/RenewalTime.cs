namespace Quayside.Messaging.AzureServiceBus;

/// <summary>When a lock is renewed: after half of its time, on the worker's clock. One thread asks whether it is due; the renewal reports its end.</summary>
internal sealed class RenewalTime
{
    // Bounds for half of a lock's time, so that a clock that differs from the broker's causes neither a lost lock nor a hot loop.
    private static readonly TimeSpan MinWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    private readonly TimeProvider _time;
    private readonly long _began;

    // Ticks since the lock began.
    private long _due;

    /// <param name="lockedUntil">The end of the lock, by the broker's clock.</param>
    /// <param name="time">The worker's clock.</param>
    public RenewalTime(DateTimeOffset lockedUntil, TimeProvider time)
    {
        _time = time;
        _began = time.GetTimestamp();
        Renewed(lockedUntil);
    }

    /// <summary>Time since the lock began.</summary>
    public TimeSpan Age => _time.GetElapsedTime(_began);

    /// <summary>True once half of the lock's time has passed; then not again until the renewal has ended.</summary>
    public bool IsDue()
    {
        if (Age.Ticks < Volatile.Read(ref _due))
        {
            return false;
        }

        Volatile.Write(ref _due, long.MaxValue);
        return true;
    }

    /// <summary>The renewal has succeeded.</summary>
    public void Renewed(DateTimeOffset lockedUntil)
    {
        TimeSpan half = (lockedUntil - _time.GetUtcNow()) / 2;
        WaitFor(half < MinWait ? MinWait : half > MaxWait ? MaxWait : half);
    }

    /// <summary>The renewal has failed; another follows if it can help.</summary>
    public void Failed(ServiceBusFault fault)
    {
        if (fault.Kind is not (ServiceBusFaultKind.LockLost or ServiceBusFaultKind.Gone))
        {
            WaitFor(MinWait);
        }
    }

    private void WaitFor(TimeSpan wait) => Volatile.Write(ref _due, (Age + wait).Ticks);
}
