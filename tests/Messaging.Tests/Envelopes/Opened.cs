using System.Text;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Envelopes;

/// <summary>What an envelope took out of a body.</summary>
internal sealed record Opened(byte[] Content, IReadOnlyList<string> Elements, Settlement Refusal)
{
    public string Text => Encoding.UTF8.GetString(Content);

    public static Opened By(IEnvelope envelope, byte[] body)
    {
        EnvelopeReading message = new();
        message.Open(new Wrapped(body), maxBytes: 1 << 20, maxElements: 10_000);
        ValueTask unwrapping = envelope.UnwrapAsync(message, CancellationToken.None);
        unwrapping.IsCompletedSuccessfully.ShouldBeTrue();
        unwrapping.GetAwaiter().GetResult();
        Opened opened = new(message.Content?.ToArray() ?? [], [.. message.Elements.Select(element => Encoding.UTF8.GetString(element.Span))], message.Refusal);
        message.Reset();
        return opened;
    }

    private sealed class Wrapped(byte[] body) : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body { get; } = body;

        public override ReadOnlyMemory<byte> SourceId { get; } = "id"u8.ToArray();

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
    }
}
