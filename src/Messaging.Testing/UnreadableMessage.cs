using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Testing;

/// <summary>A message whose body throws when it is read; it is settled as the source's own.</summary>
internal sealed class UnreadableMessage(ReceivedMessage message, Action settled) : ReceivedMessage
{
    public override ReadOnlyMemory<byte> Body => throw new PoisonMessageException(UnreadableSource.Reason, "The body cannot be read.");

    public override ReadOnlyMemory<byte> SourceId => message.SourceId;

    public override int DeliveryCount => message.DeliveryCount;

    protected override async ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        await message.SettleAsync(settlement, cancellationToken);
        settled();
    }
}
