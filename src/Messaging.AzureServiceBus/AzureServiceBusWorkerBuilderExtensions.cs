using Quayside.Messaging.AzureServiceBus;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds Azure Service Bus to a worker, with Microsoft's client.</summary>
public static class AzureServiceBusWorkerBuilderExtensions
{
    /// <summary>
    /// Adds the source <c>ServiceBus</c>: messages of a queue or a subscription, completed after they are stored. Settings: <c>Sources:ServiceBus</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddAzureServiceBus(this IMessageWorkerBuilder builder) =>
        builder.AddSource(new ServiceBusSourceFeature(static (options, retries) => options.CreateClient(retries)));
}
