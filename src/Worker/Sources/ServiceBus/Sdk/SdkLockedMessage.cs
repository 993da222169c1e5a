using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Worker.Sources.ServiceBus.Port;

namespace Worker.Sources.ServiceBus.Sdk;

/// <summary>A message as the processor handed it out.</summary>
internal sealed class SdkLockedMessage(ProcessMessageEventArgs args) : LockedMessage
{
    private ReadOnlyMemory<byte>? _body;

    // Not the message's own Body, which takes data only.
    public override ReadOnlyMemory<byte> Body => _body ??= Read(args.Message.GetRawAmqpMessage().Body);

    public override string? MessageId => args.Message.MessageId;

    public override long SequenceNumber => args.Message.SequenceNumber;

    public override int DeliveryCount => args.Message.DeliveryCount;

    public override DateTimeOffset EnqueuedAt => args.Message.EnqueuedTime;

    public override IReadOnlyDictionary<string, object> Properties => args.Message.ApplicationProperties;

    public override Task CompleteAsync(CancellationToken cancellationToken) =>
        SdkFaults.ConvertAsync(args.CompleteMessageAsync(args.Message, cancellationToken), cancellationToken);

    public override Task AbandonAsync(CancellationToken cancellationToken) =>
        SdkFaults.ConvertAsync(args.AbandonMessageAsync(args.Message, cancellationToken: cancellationToken), cancellationToken);

    public override Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken) =>
        SdkFaults.ConvertAsync(args.DeadLetterMessageAsync(args.Message, properties, reason, description, cancellationToken), cancellationToken);

    private static ReadOnlyMemory<byte> Read(AmqpMessageBody body)
    {
        if (body.TryGetData(out IEnumerable<ReadOnlyMemory<byte>>? data))
        {
            return AmqpBody.FromData(data);
        }

        return body.TryGetValue(out object? value) ? AmqpBody.FromValue(value) : throw AmqpBody.Unsupported($"an AMQP {body.BodyType.ToString().ToLowerInvariant()}");
    }
}
