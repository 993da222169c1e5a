using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>A message from the processor: settled over its link, or by its lock token after the run has stopped.</summary>
internal sealed class SdkLockedMessage(ProcessMessageEventArgs args, SdkRun run) : LockedMessage
{
    private ReadOnlyMemory<byte>? _body;

    // The SDK's own Body property supports data sections only.
    public override ReadOnlyMemory<byte> Body => _body ??= Read(args.Message.GetRawAmqpMessage().Body);

    public override string? MessageId => args.Message.MessageId;

    public override long SequenceNumber => args.Message.SequenceNumber;

    public override int DeliveryCount => args.Message.DeliveryCount;

    public override DateTimeOffset EnqueuedAt => args.Message.EnqueuedTime;

    public override IReadOnlyDictionary<string, object> Properties => args.Message.ApplicationProperties;

    public override DateTimeOffset LockedUntil => args.Message.LockedUntil;

    public override Task RenewAsync(CancellationToken cancellationToken) => SdkFaults.ConvertAsync(
        run.AfterStop is { } receiver ? receiver.RenewMessageLockAsync(args.Message, cancellationToken) : args.RenewMessageLockAsync(args.Message, cancellationToken),
        cancellationToken);

    public override Task CompleteAsync(CancellationToken cancellationToken) => SdkFaults.ConvertAsync(
        run.AfterStop is { } receiver ? receiver.CompleteMessageAsync(args.Message, cancellationToken) : args.CompleteMessageAsync(args.Message, cancellationToken),
        cancellationToken);

    public override Task AbandonAsync(CancellationToken cancellationToken) => SdkFaults.ConvertAsync(
        run.AfterStop is { } receiver
            ? receiver.AbandonMessageAsync(args.Message, cancellationToken: cancellationToken)
            : args.AbandonMessageAsync(args.Message, cancellationToken: cancellationToken),
        cancellationToken);

    public override Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken) => SdkFaults.ConvertAsync(
        run.AfterStop is { } receiver
            ? receiver.DeadLetterMessageAsync(args.Message, properties, reason, description, cancellationToken)
            : args.DeadLetterMessageAsync(args.Message, properties, reason, description, cancellationToken),
        cancellationToken);

    private static ReadOnlyMemory<byte> Read(AmqpMessageBody body)
    {
        if (body.TryGetData(out IEnumerable<ReadOnlyMemory<byte>>? data) && data is not null)
        {
            return AmqpBody.FromData(data);
        }

        return body.TryGetValue(out object? value) ? AmqpBody.FromValue(value) : throw AmqpBody.Unsupported($"an AMQP {body.BodyType.ToString().ToLowerInvariant()}");
    }
}
