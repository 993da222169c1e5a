using Azure.Messaging.ServiceBus;
using Worker.Sources.ServiceBus.Port;

namespace Worker.Sources.ServiceBus.Sdk;

/// <summary>A message as the processor handed it out.</summary>
internal sealed class SdkLockedMessage(ProcessMessageEventArgs args) : LockedMessage
{
    // The library makes it anew each time it is asked.
    private BinaryData? _body;

    public override ReadOnlyMemory<byte> Body => _body ??= args.Message.Body;

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
}
