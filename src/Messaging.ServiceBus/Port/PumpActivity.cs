namespace Messaging.ServiceBus.Port;

/// <summary>What a pump was doing when something failed.</summary>
public enum PumpActivity
{
    /// <summary>Receiving, or keeping the connection for it.</summary>
    Receive = 0,

    /// <summary>Renewing a message's lock.</summary>
    RenewLock,

    /// <summary>Settling by itself: completing after a call, or abandoning what a call threw on.</summary>
    Settle,

    /// <summary>The handler's call threw.</summary>
    Handle,
}
