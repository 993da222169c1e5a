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
