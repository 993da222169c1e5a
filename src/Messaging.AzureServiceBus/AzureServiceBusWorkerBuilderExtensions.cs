using Messaging.AzureServiceBus.Port;
using Messaging.Hosting;

namespace Messaging.AzureServiceBus;

/// <summary>Adds Azure Service Bus to a worker, with Microsoft's client.</summary>
public static class AzureServiceBusWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>ServiceBus</c>: messages of a queue or a subscription, completed after they are stored. Settings: <c>Sources:ServiceBus</c>.</summary>
    public static IMessageWorkerBuilder AddAzureServiceBus(this IMessageWorkerBuilder builder) => builder.AddAzureServiceBus(new AzureServiceBusConnector());

    internal static IMessageWorkerBuilder AddAzureServiceBus(this IMessageWorkerBuilder builder, IServiceBusConnector connector) => builder.AddSource(new ServiceBusSourceFeature(connector));
}
