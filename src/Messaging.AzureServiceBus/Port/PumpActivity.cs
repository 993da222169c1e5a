namespace Messaging.AzureServiceBus.Port;

/// <summary>What a pump was doing when it failed.</summary>
public enum PumpActivity
{
    /// <summary>Receiving, or keeping its connection open.</summary>
    Receive = 0,

    /// <summary>Renewing a message's lock.</summary>
    RenewLock,

    /// <summary>Settling by the pump itself: completing a message after its call, or abandoning it when the call threw.</summary>
    Settle,

    /// <summary>The handler's call threw.</summary>
    Handle,
}
