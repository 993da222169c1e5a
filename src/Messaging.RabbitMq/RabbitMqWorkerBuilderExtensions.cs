using Quayside.Messaging.RabbitMq;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds RabbitMQ to a worker, with its own client.</summary>
public static class RabbitMqWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>RabbitMq</c>: messages of a queue, acknowledged after they are stored. Settings: <c>Sources:RabbitMq</c>.</summary>
    public static IMessageWorkerBuilder AddRabbitMq(this IMessageWorkerBuilder builder) => builder.AddSource(new RabbitMqSourceFeature());
}
