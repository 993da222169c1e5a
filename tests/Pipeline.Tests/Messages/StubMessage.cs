using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Messages;

/// <summary>A message that records its settlement.</summary>
internal sealed class StubMessage : ReceivedMessage
{
    public List<Settlement> Settlements { get; } = [];

    public override ReadOnlyMemory<byte> Body => "body"u8.ToArray();

    public override ReadOnlyMemory<byte> SourceId => "id"u8.ToArray();

    public void Redeliver() => ResetSettlement();

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        lock (Settlements)
        {
            Settlements.Add(settlement);
        }

        return default;
    }
}
