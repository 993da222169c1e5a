using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Tests.Sources.Contract;

/// <summary>A source's message whose body cannot be read. Its settlement is the message's own.</summary>
internal sealed class UnreadableMessage(ReceivedMessage message, Exception failure) : ReceivedMessage
{
    public override ReadOnlyMemory<byte> Body => throw failure;

    public override ReadOnlyMemory<byte> SourceId => message.SourceId;

    public override int DeliveryCount => message.DeliveryCount;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => message.SettleAsync(settlement, cancellationToken);
}
