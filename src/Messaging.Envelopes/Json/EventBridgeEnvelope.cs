using System.Text.Json;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Envelopes.Json;

/// <summary>An event of Amazon EventBridge: the content is its detail, byte for byte.</summary>
internal sealed class EventBridgeEnvelope : IEnvelope
{
    public const string NotEventBridgeReason = "not-an-eventbridge-event";

    private static readonly byte[][] Names = ["detail-type"u8.ToArray(), "source"u8.ToArray(), "detail"u8.ToArray()];

    /// <summary>True for a body with the members of this envelope.</summary>
    public static bool IsMarked(ReadOnlyMemory<byte> body)
    {
        Span<JsonMember> members = stackalloc JsonMember[3];
        return JsonMembers.TryFind(body.Span, Names, members, out _)
            && members[0].Type == JsonTokenType.String && members[1].Type == JsonTokenType.String && members[2].Type == JsonTokenType.StartObject;
    }

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    public IReadOnlyList<KeyValuePair<string, string>> ReadAttributes(ReceivedMessage message) =>
        [.. JsonAttributes.Read(message.Body.Span, static name => name is "detail-type" or "source" or "account" or "region" or "time" or "id")];

    private static void Unwrap(EnvelopeReading message)
    {
        Span<JsonMember> members = stackalloc JsonMember[3];
        if (!JsonMembers.TryFind(message.Body.Span, Names, members, out string? fault))
        {
            message.RefuseUnrecognized(NotEventBridgeReason, fault);
        }
        else if (members[0].Type != JsonTokenType.String || members[1].Type != JsonTokenType.String || !members[2].IsPresent)
        {
            message.RefuseUnrecognized(NotEventBridgeReason, "An event is an object with the strings detail-type and source, and with detail.");
        }
        else
        {
            message.SetContent(message.Body.Slice(members[2].Start, members[2].Length));
        }
    }
}
