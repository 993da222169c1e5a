using System.Text.Json;
using Messaging.Telemetry;
using Messaging.Unwrapping;
using Pipeline.Messages;

namespace Messaging.Envelopes.Json;

/// <summary>
/// A notification of Amazon SNS, without raw message delivery: the content is the text of its Message. Its signature is not checked, because a queue's policy
/// says who may send to it.
/// </summary>
internal sealed class SnsEnvelope : IEnvelope
{
    public const string NotSnsReason = "not-an-sns-envelope";
    public const string ConfirmationReason = "sns-subscription-confirmation";

    private const string Explanation = "A notification is an object with Type, MessageId, TopicArn and Message.";

    private static readonly byte[][] Names = ["Type"u8.ToArray(), "MessageId"u8.ToArray(), "TopicArn"u8.ToArray(), "Message"u8.ToArray()];

    private static readonly byte[][] AttributesName = ["MessageAttributes"u8.ToArray()];

    /// <summary>True for a body with the members of this envelope.</summary>
    public static bool IsMarked(ReadOnlyMemory<byte> body)
    {
        Span<JsonMember> members = stackalloc JsonMember[4];
        return JsonMembers.TryFind(body.Span, Names, members, out _)
            && members[1].IsPresent && members[2].IsPresent && members[3].IsPresent && (members[0].PlainText(body.Span).SequenceEqual("Notification"u8) || members[0].PlainText(body.Span).EndsWith("Confirmation"u8));
    }

    public ValueTask UnwrapAsync(WrappedMessage message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    /// <summary>The sender's message attributes, and what SNS itself says of the message, which no attribute hides.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> ReadAttributes(ReceivedMessage message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        Dictionary<string, string> found = new(StringComparer.Ordinal);
        Span<JsonMember> members = stackalloc JsonMember[1];
        if (JsonMembers.TryFind(body, AttributesName, members, out _) && members[0].Type == JsonTokenType.StartObject)
        {
            JsonAttributes.ReadNested(body.Slice(members[0].Start, members[0].Length), found);
        }

        foreach ((string name, string value) in JsonAttributes.Read(body, static name => name is "TopicArn" or "Subject" or "MessageId" or "Timestamp"))
        {
            found[name] = value;
        }

        return [.. found];
    }

    private static void Unwrap(WrappedMessage message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        Span<JsonMember> members = stackalloc JsonMember[4];
        if (!JsonMembers.TryFind(body, Names, members, out string? fault))
        {
            message.RefuseUnrecognized(NotSnsReason, $"{fault} {Explanation} A body without them is one of a subscription with raw message delivery, or was not sent by SNS.");
            return;
        }

        (JsonMember type, JsonMember id, JsonMember topic, JsonMember text) = (members[0], members[1], members[2], members[3]);
        ReadOnlySpan<byte> kind = type.PlainText(body);
        if (!id.IsPresent || !topic.IsPresent || !text.IsPresent || kind.IsEmpty)
        {
            message.RefuseUnrecognized(NotSnsReason, $"The body has no {(kind.IsEmpty ? "Type" : !id.IsPresent ? "MessageId" : !topic.IsPresent ? "TopicArn" : "Message")}. {Explanation} A body without them is one of a subscription with raw message delivery, or was not sent by SNS.");
        }
        else if (kind.SequenceEqual("SubscriptionConfirmation"u8) || kind.SequenceEqual("UnsubscribeConfirmation"u8))
        {
            message.Refuse(ConfirmationReason, $"SNS asks to confirm that this endpoint {(kind[0] == 'S' ? "subscribes to" : "no longer subscribes to")} {UntrustedText.Shorten(topic.PlainText(body))}. It is no message. A subscription of a queue needs no confirmation; one of a URL is confirmed by a request to the SubscribeURL in this body, if you trust the topic.");
        }
        else if (!kind.SequenceEqual("Notification"u8) || text.Type != JsonTokenType.String)
        {
            message.RefuseUnrecognized(NotSnsReason, text.Type != JsonTokenType.String ? $"Message is not a string: byte {text.Start}." : $"Type is {UntrustedText.Shorten(kind)}, not Notification.");
        }
        else if (JsonMembers.TryReadText(message, text, out ReadOnlyMemory<byte> content))
        {
            message.SetContent(content);
        }
        else
        {
            message.Refuse(NotSnsReason, $"Message is no Unicode text: the string at byte {text.Start}.");
        }
    }
}
