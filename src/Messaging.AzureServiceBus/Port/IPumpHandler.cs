namespace Messaging.AzureServiceBus.Port;

/// <summary>Handles the messages that a pump receives. Threads: at most <see cref="PumpSettings.MaxConcurrentCalls"/> calls at once.</summary>
public interface IPumpHandler
{
    /// <summary>
    /// Handles a message and settles it before it returns, unless the pump completes messages itself. After the return the pump no longer
    /// renews the lock and may receive the next message. During a stop the call may return earlier; the handler then renews the lock and
    /// settles the message itself. An exception abandons the message.
    /// </summary>
    Task HandleAsync(LockedMessage message);

    /// <summary>Reports a failure inside the pump, such as a failed receive or renewal. Must not start or stop the pump.</summary>
    void Failed(PumpActivity activity, ServiceBusFault fault);
}

/// <summary>Settings of a pump.</summary>
/// <param name="MaxConcurrentCalls">Calls of the handler that run at once; the pump receives the next message after a call has returned.</param>
/// <param name="PrefetchCount">Messages the library may lock in advance, in addition to those in calls.</param>
/// <param name="MaxLockRenewal">How long the lock of a message is renewed while its call runs.</param>
/// <param name="AutoComplete">True when a call's normal return completes its message.</param>
public sealed record PumpSettings(int MaxConcurrentCalls, int PrefetchCount, TimeSpan MaxLockRenewal, bool AutoComplete = false);
