namespace Messaging.ServiceBus.Port;

/// <summary>
/// The door to the Service Bus client library. Only what stands behind it needs the package Azure.Messaging.ServiceBus; a build
/// without the switch <c>AzureServiceBus</c> has <see cref="NoConnector"/> in its place. Opening connects to nothing.
/// </summary>
internal interface IServiceBusConnector
{
    /// <summary>A pump over the queue or subscription of the options.</summary>
    /// <exception cref="ServiceBusFaultException">The options cannot work: a connection string the library does not take.</exception>
    IServiceBusPump OpenPump(ServiceBusSourceOptions options, PumpSettings settings);

    /// <summary>A sender to the queue or topic of the options.</summary>
    /// <exception cref="ServiceBusFaultException">As for <see cref="OpenPump"/>.</exception>
    IServiceBusSender OpenSender(ServiceBusSourceOptions options);
}
