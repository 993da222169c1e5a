using System.Threading.Channels;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Samples.RabbitMq;

/// <summary>Receives the broker's deliveries. The prefetch limits how many of them can wait here.</summary>
internal sealed class RabbitMqConsumer(RabbitMqSession session, IChannel channel, ChannelWriter<RabbitMqMessage> arrived) : AsyncDefaultBasicConsumer(channel)
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
        arrived.TryWrite(new RabbitMqMessage(session, deliveryTag, redelivered, new BasicProperties(properties), body.ToArray()));
        return Task.CompletedTask;
    }

    public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        arrived.TryComplete(new IOException("RabbitMQ cancelled the consumer; check whether the queue was deleted."));
        return Task.CompletedTask;
    }

    public override Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        arrived.TryComplete(new IOException($"RabbitMQ closed the channel: {reason.ReplyText}"));
        return Task.CompletedTask;
    }
}
