using System.Text;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Testing;

/// <summary>One delivery of a <see cref="SentMessage"/>, with bytes of its own. The settlement overwrites them, so that a handler that keeps them sees wrong bytes.</summary>
internal sealed class TestSourceMessage(TestSource source, SentMessage message) : ReceivedMessage
{
    private readonly byte[] _body = [.. message.Body];

    public override ReadOnlyMemory<byte> Body => _body;

    public override ReadOnlyMemory<byte> SourceId { get; } = Encoding.UTF8.GetBytes(message.Id);

    public override int DeliveryCount { get; } = ++message.Deliveries;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => message.Attributes;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        Array.Fill(_body, PoisoningArrayPool.Poison);
        return source.SettleAsync(message, settlement, cancellationToken);
    }
}
