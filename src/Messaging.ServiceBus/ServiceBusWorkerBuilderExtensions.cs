using Messaging.Hosting;
using Messaging.ServiceBus.Port;

namespace Messaging.ServiceBus;

/// <summary>Adds Azure Service Bus to a worker.</summary>
public static class ServiceBusWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the source <c>ServiceBus</c>: messages of a queue or a subscription, completed after they are stored. Settings:
    /// <c>Sources:ServiceBus</c>. With a <see cref="NoConnector"/>, a route with this source is a configuration error that explains how to
    /// build with a client.
    /// </summary>
    /// <param name="builder">The worker.</param>
    /// <param name="connector">Opens the clients.</param>
    public static IMessageWorkerBuilder AddServiceBus(this IMessageWorkerBuilder builder, IServiceBusConnector connector) => builder.AddSource(new ServiceBusSourceFeature(connector));
}
