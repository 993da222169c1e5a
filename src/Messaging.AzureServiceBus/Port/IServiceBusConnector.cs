namespace Messaging.AzureServiceBus.Port;

/// <summary>
/// Opens clients of Service Bus. The source and the sender use the client library only through this port. Opening a client makes no
/// connection. Threads: any.
/// </summary>
public interface IServiceBusConnector
{
    /// <summary>Opens a pump for the configured queue or subscription.</summary>
    /// <exception cref="ServiceBusFaultException">The client library rejects the options, such as the connection string.</exception>
    IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings);

    /// <summary>Opens a sender to the configured queue or topic.</summary>
    /// <exception cref="ServiceBusFaultException">As for <see cref="OpenPump"/>.</exception>
    IServiceBusSender OpenSender(ServiceBusSourceOptions options);
}
