using Messaging.Hosting;

namespace Messaging.ServiceBus;

/// <summary>Adds Azure Service Bus to a worker.</summary>
public static class ServiceBusWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the source <c>ServiceBus</c>: messages of a queue or a subscription, completed after they were stored. Settings:
    /// <c>Sources:ServiceBus</c>. In a build without the switch <c>AzureServiceBus</c> a route that names it is a configuration error.
    /// </summary>
    public static IMessageWorkerBuilder AddServiceBus(this IMessageWorkerBuilder builder) => builder.AddSource(new ServiceBusSourceFeature(ServiceBusBuild.FindConnector()));
}
