namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The lock of a message or of a session, renewed after half of its time, on the worker's clock. One thread asks whether it is due; the renewal reports
/// its end.
/// </summary>
internal sealed class RenewedLock
{
    // Bounds for half of a lock's time, so that a clock that differs from the broker's causes neither a lost lock nor a hot loop.
    private static readonly TimeSpan MinWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    private readonly ServiceBusSourceLog _log;
    private readonly TimeProvider _time;
    private readonly long _began;

    // Ticks since the lock began.
    private long _due;

    /// <param name="lockedUntil">The end of the lock, by the broker's clock.</param>
    /// <param name="log">Of the source.</param>
    /// <param name="time">The worker's clock.</param>
    public RenewedLock(DateTimeOffset lockedUntil, ServiceBusSourceLog log, TimeProvider time)
    {
        _log = log;
        _time = time;
        _began = time.GetTimestamp();
        Renewed(lockedUntil);
    }

    /// <summary>Time since the lock began.</summary>
    public TimeSpan Age => _time.GetElapsedTime(_began);

    /// <summary>Renews once half of the lock's time has passed; then not again until the renewal has ended. Never throws.</summary>
    public void RenewIfDue(ILocked locked)
    {
        if (Age.Ticks >= Volatile.Read(ref _due))
        {
            Volatile.Write(ref _due, long.MaxValue);

            // Not awaited: one slow answer must not delay the renewal of the others.
            _ = RenewAsync(locked);
        }
    }

    private async Task RenewAsync(ILocked locked)
    {
        try
        {
            Renewed(await locked.RenewLockAsync());
        }
        catch (Exception exception)
        {
            ServiceBusFault fault = ServiceBusFault.Of(exception);
            if (fault.Kind is not (ServiceBusFaultKind.LockLost or ServiceBusFaultKind.Gone))
            {
                WaitFor(MinWait);
            }

            if (locked.HasMessage)
            {
                ServiceBusSourceMetrics.RenewFailed(_log.Route);
                _log.RenewFailed(fault.Message);
            }
        }
    }

    private void Renewed(DateTimeOffset lockedUntil)
    {
        TimeSpan half = (lockedUntil - _time.GetUtcNow()) / 2;
        WaitFor(half < MinWait ? MinWait : half > MaxWait ? MaxWait : half);
    }

    private void WaitFor(TimeSpan wait) => Volatile.Write(ref _due, (Age + wait).Ticks);
}

/// <summary>What a <see cref="RenewedLock"/> locks.</summary>
internal interface ILocked
{
    /// <summary>True while a message depends on the lock.</summary>
    bool HasMessage { get; }

    /// <summary>Renews the lock and returns its new end, by the broker's clock. Throws the client's exception.</summary>
    Task<DateTimeOffset> RenewLockAsync();
}
