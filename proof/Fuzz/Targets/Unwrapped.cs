using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Proof.Fuzz.Targets;

/// <summary>What an envelope took out of a body.</summary>
/// <param name="Refusal">Its reason; null when the body was accepted.</param>
/// <param name="Content">The content; empty for several.</param>
/// <param name="Elements">The messages out of one.</param>
internal sealed record Unwrapped(string? Refusal, byte[] Content, IReadOnlyList<byte[]> Elements)
{
    public const int MaxBytes = 1 << 16;
    public const int MaxElements = 100;

    public bool IsAccepted => Refusal is null;

    public static Unwrapped By(IEnvelope envelope, ReadOnlyMemory<byte> body, params KeyValuePair<string, string>[] attributes)
    {
        EnvelopeReading message = new();
        message.Open(new Wrapped(body, attributes), MaxBytes, MaxElements);
        envelope.UnwrapAsync(message, CancellationToken.None).AsTask().GetAwaiter().GetResult();
        FuzzException.ThrowUnless(message.Refusal.IsDecided || message.Content is not null || message.IsSplit, $"{envelope.GetType().Name} decided nothing");
        Unwrapped result = message.Refusal.IsDecided
            ? new Unwrapped(message.Refusal.Reason ?? message.Refusal.Kind.ToString(), [], [])
            : new Unwrapped(null, message.Content?.ToArray() ?? [], [.. message.Elements.Select(element => element.ToArray())]);
        message.Reset();
        return result;
    }

    /// <summary>Checks that a body made from a content gives that content.</summary>
    public static void CheckRoundTrip(
        string what, IEnvelope envelope, byte[] body, ReadOnlySpan<byte> content, params KeyValuePair<string, string>[] attributes)
    {
        Unwrapped result = By(envelope, body, attributes);
        FuzzException.ThrowUnless(result.IsAccepted && content.SequenceEqual(result.Content), $"{what}: unwrap(wrap(x)) is not x: {result.Refusal}");
    }

    private sealed class Wrapped(ReadOnlyMemory<byte> body, KeyValuePair<string, string>[] attributes) : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body => body;

        public override ReadOnlyMemory<byte> SourceId { get; } = "id"u8.ToArray();

        public override IReadOnlyList<KeyValuePair<string, string>> Attributes => attributes;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
    }
}
