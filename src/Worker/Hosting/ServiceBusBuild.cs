using Messaging.ServiceBus.Port;

namespace Worker.Hosting;

/// <summary>The Service Bus client of this build: the project file chooses it by the switch <c>AzureServiceBus</c>.</summary>
public static class ServiceBusBuild
{
    public static IServiceBusConnector Connector { get; } = new ServiceBusClient();
}
