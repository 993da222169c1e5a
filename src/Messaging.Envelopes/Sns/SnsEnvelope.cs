using System.Text.Json;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>
/// A notification of Amazon SNS, without raw message delivery: the content is the text of its Message. Who sent it is checked only where the settings name
/// topics: a queue's policy says who may send to it, but anybody can send to an address. Threads: any number of messages concurrently.
/// </summary>
/// <param name="sender">Checks who sent a message; null to take messages of everybody.</param>
internal sealed class SnsEnvelope(SnsSender? sender = null) : IEnvelope
{
    public const string NotSnsReason = "not-an-sns-envelope";
    public const string ConfirmationReason = "sns-subscription-confirmation";

    private const string Explanation = "A notification is an object with Type, MessageId, TopicArn and Message. A body without them is one of a subscription "
        + "with raw message delivery, or was not sent by SNS.";

    private static readonly byte[][] Names = ["Type"u8.ToArray(), "MessageId"u8.ToArray(), "TopicArn"u8.ToArray(), "Message"u8.ToArray()];

    private static readonly byte[][] AttributesName = ["MessageAttributes"u8.ToArray()];

    /// <summary>True for a body with the members of this envelope.</summary>
    public static bool IsMarked(ReadOnlyMemory<byte> body)
    {
        Span<JsonMember> members = stackalloc JsonMember[4];
        return JsonMembers.TryFind(body.Span, Names, members, out _)
            && members[1].IsPresent
            && members[2].IsPresent
            && members[3].IsPresent
            && (members[0].PlainText(body.Span).SequenceEqual("Notification"u8) || members[0].PlainText(body.Span).EndsWith("Confirmation"u8));
    }

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Span<JsonMember> members = stackalloc JsonMember[4];
        if (!JsonMembers.TryFind(message.Body.Span, Names, members, out string? fault))
        {
            RefuseOther(message, $"{fault} {Explanation}");
            return default;
        }

        SnsMessage found = new(members[0], members[1], members[2], members[3]);
        SnsKind kind = Recognize(message, found);
        if (kind == SnsKind.None)
        {
            return default;
        }

        if (sender is not null)
        {
            return TakeAsync(message, kind, found, cancellationToken);
        }

        if (kind == SnsKind.Notification)
        {
            SetContent(message, found.Message);
        }
        else
        {
            message.Refuse(
                ConfirmationReason,
                $"SNS asks to confirm that this endpoint {(kind == SnsKind.Subscription ? "subscribes to" : "no longer subscribes to")} "
                    + $"{UntrustedText.Shorten(found.Topic.PlainText(message.Body.Span))}. It is no message. A subscription of a queue needs no confirmation. "
                    + $"One of a URL is confirmed by the worker if {SnsOptions.Section}:{nameof(SnsOptions.Topics)} names the topic.");
        }

        return default;
    }

    /// <summary>The sender's message attributes, which SNS does not sign, and what SNS itself says of the message, which no attribute hides.</summary>
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

    private async ValueTask TakeAsync(EnvelopeReading message, SnsKind kind, SnsMessage found, CancellationToken cancellationToken)
    {
        Settlement refusal = await sender!.CheckAsync(message.Body, kind, cancellationToken);
        if (refusal.IsDecided)
        {
            message.Refuse(refusal);
        }
        else if (kind == SnsKind.Notification)
        {
            SetContent(message, found.Message);
        }
        else
        {
            // It holds no message: it is acknowledged, and nothing is stored.
            message.Split();
        }
    }

    /// <returns>None for a body that is refused.</returns>
    private SnsKind Recognize(EnvelopeReading message, in SnsMessage found)
    {
        ReadOnlySpan<byte> type = found.Type.PlainText(message.Body.Span);
        if (!found.Id.IsPresent || !found.Topic.IsPresent || !found.Message.IsPresent || type.IsEmpty)
        {
            RefuseOther(
                message,
                $"The body has no {(type.IsEmpty ? "Type" : !found.Id.IsPresent ? "MessageId" : !found.Topic.IsPresent ? "TopicArn" : "Message")}. "
                    + $"{Explanation}");
            return SnsKind.None;
        }

        SnsKind kind = type.SequenceEqual("SubscriptionConfirmation"u8) ? SnsKind.Subscription
            : type.SequenceEqual("UnsubscribeConfirmation"u8) ? SnsKind.Unsubscription
            : type.SequenceEqual("Notification"u8) ? SnsKind.Notification
            : SnsKind.None;
        if (kind == SnsKind.None || (kind == SnsKind.Notification && found.Message.Type != JsonTokenType.String))
        {
            RefuseOther(
                message,
                found.Message.Type != JsonTokenType.String
                    ? $"Message is not a string: byte {found.Message.Start}."
                    : $"Type is {UntrustedText.Shorten(type)}, not Notification.");
            return SnsKind.None;
        }

        return kind;
    }

    // Where the sender is checked, Unrecognized=Pass would let everybody pass.
    private void RefuseOther(EnvelopeReading message, string description)
    {
        if (sender is null)
        {
            message.RefuseUnrecognized(NotSnsReason, description);
        }
        else
        {
            message.Refuse(NotSnsReason, description);
        }
    }

    private static void SetContent(EnvelopeReading message, JsonMember text)
    {
        if (JsonMembers.TryReadText(message, text, out ReadOnlyMemory<byte> content))
        {
            message.SetContent(content);
        }
        else
        {
            message.Refuse(NotSnsReason, $"Message is no Unicode text: the string at byte {text.Start}.");
        }
    }

    /// <summary>The members that every message of SNS has.</summary>
    private readonly record struct SnsMessage(JsonMember Type, JsonMember Id, JsonMember Topic, JsonMember Message);
}

/// <summary>What SNS sends.</summary>
internal enum SnsKind
{
    /// <summary>Not known.</summary>
    None = 0,

    /// <summary>A message that was published.</summary>
    Notification,

    /// <summary>A request to confirm that the endpoint subscribes.</summary>
    Subscription,

    /// <summary>A notice that the endpoint no longer subscribes.</summary>
    Unsubscription,
}
