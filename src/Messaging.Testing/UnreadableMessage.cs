using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Testing;

/// <summary>A message whose body throws when it is read; it is settled as the source's own.</summary>
internal sealed class UnreadableMessage(ReceivedMessage message, Exception failure) : ReceivedMessage
{
    public override ReadOnlyMemory<byte> Body => throw failure;

    public override ReadOnlyMemory<byte> SourceId => message.SourceId;

    public override int DeliveryCount => message.DeliveryCount;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => message.SettleAsync(settlement, cancellationToken);
}
