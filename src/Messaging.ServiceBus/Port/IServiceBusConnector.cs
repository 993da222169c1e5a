namespace Messaging.ServiceBus.Port;

/// <summary>
/// Opens clients of Service Bus. The source and the sender use the client library only through this port; a build without the switch
/// <c>AzureServiceBus</c> has <see cref="NoConnector"/> in its place. Opening connects to nothing. Threads: any.
/// </summary>
public interface IServiceBusConnector
{
    /// <summary>A pump over the queue or subscription of the options.</summary>
    /// <exception cref="ServiceBusFaultException">The options cannot work: a connection string the library does not take.</exception>
    IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings);

    /// <summary>A sender to the queue or topic of the options.</summary>
    /// <exception cref="ServiceBusFaultException">As for <see cref="OpenPump"/>.</exception>
    IServiceBusSender OpenSender(ServiceBusSourceOptions options);
}
