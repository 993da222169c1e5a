using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Receives the broker's deliveries. The prefetch limits how many of them can wait in the session.</summary>
internal sealed class RabbitMqConsumer(RabbitMqSession session, IChannel channel) : AsyncDefaultBasicConsumer(channel)
{
    public override Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        session.Add(new RabbitMqMessage(session, deliveryTag, redelivered, routingKey, properties, body.Span));
        return Task.CompletedTask;
    }

    public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        session.Broken(new IOException("RabbitMQ cancelled the consumer: the queue was deleted, or has moved to another node."));
        return Task.CompletedTask;
    }

    public override Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        session.Broken(new RabbitMQ.Client.Exceptions.AlreadyClosedException(reason));
        return Task.CompletedTask;
    }
}
