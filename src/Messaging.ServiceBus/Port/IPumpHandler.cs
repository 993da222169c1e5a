namespace Messaging.ServiceBus.Port;

/// <summary>Takes what a pump receives. Threads: at most <see cref="PumpSettings.MaxConcurrentCalls"/> calls at once.</summary>
public interface IPumpHandler
{
    /// <summary>
    /// Works on a message and settles it (unless the pump completes by itself) before it returns: with its return the lock is no
    /// longer renewed, and the pump may receive the next. After a stop it may return before that, and then renews the lock itself.
    /// An exception abandons the message.
    /// </summary>
    Task HandleAsync(LockedMessage message);

    /// <summary>Something failed that belongs to no call, such as a receive or a renewal. Must not start or stop the pump.</summary>
    void Failed(PumpActivity activity, ServiceBusFault fault);
}

/// <summary>Parses the library's names of what failed (ServiceBusErrorSource).</summary>
public static class PumpActivities
{
    /// <summary>The activity of a name; an unknown name counts as receiving, whose failures must be seen.</summary>
    public static PumpActivity Parse(string errorSource) => errorSource switch
    {
        "RenewLock" => PumpActivity.RenewLock,
        "Complete" or "Abandon" => PumpActivity.Settle,
        "ProcessMessageCallback" => PumpActivity.Handle,
        _ => PumpActivity.Receive,
    };
}

/// <summary>How a pump works.</summary>
/// <param name="MaxConcurrentCalls">Messages handed out at once; receiving one more waits until a call has returned.</param>
/// <param name="PrefetchCount">Messages the library may hold locked beyond those handed out.</param>
/// <param name="MaxLockRenewal">How long the lock of a message is renewed while its call has not returned.</param>
/// <param name="AutoComplete">True when a call's normal return completes its message.</param>
public sealed record PumpSettings(int MaxConcurrentCalls, int PrefetchCount, TimeSpan MaxLockRenewal, bool AutoComplete = false);
