using Messaging.Hosting;
using Messaging.ServiceBus;

namespace Messaging.AzureServiceBus;

/// <summary>Adds Azure Service Bus with Microsoft's client to a worker.</summary>
public static class AzureServiceBusWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>ServiceBus</c>: messages of a queue or a subscription, completed after they were stored. Settings: <c>Sources:ServiceBus</c>.</summary>
    public static IMessageWorkerBuilder AddAzureServiceBus(this IMessageWorkerBuilder builder) => builder.AddServiceBus(new AzureServiceBusConnector());
}
