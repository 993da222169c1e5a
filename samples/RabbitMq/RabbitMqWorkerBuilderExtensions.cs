using Messaging.Hosting;

namespace Samples.RabbitMq;

/// <summary>Adds RabbitMQ to a worker.</summary>
public static class RabbitMqWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>RabbitMq</c>: the messages of a queue. Settings: <c>Sources:RabbitMq</c>.</summary>
    public static IMessageWorkerBuilder AddRabbitMq(this IMessageWorkerBuilder builder) => builder.AddSource(new RabbitMqSourceFeature());
}
