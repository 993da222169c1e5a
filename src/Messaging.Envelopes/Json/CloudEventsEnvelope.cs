using System.Buffers;
using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Json;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Envelopes.Json;

/// <summary>
/// A CloudEvent 1.0. In structured mode the content is the event's data: JSON byte for byte, a string's text where the event says that its data is not JSON, or
/// the bytes of data_base64. In binary mode, where attributes of the message hold the event's, the body is the data.
/// </summary>
internal sealed class CloudEventsEnvelope : IEnvelope
{
    public const string NotCloudEventReason = "not-a-cloudevent";
    public const string NoDataReason = "cloudevent-without-data";
    public const string DamagedReason = "cloudevent-damaged";

    private static readonly byte[][] Names =
    [
        "specversion"u8.ToArray(), "id"u8.ToArray(), "source"u8.ToArray(), "type"u8.ToArray(), "data"u8.ToArray(), "data_base64"u8.ToArray(),
        "datacontenttype"u8.ToArray(),
    ];

    private const int MaxContentType = 256;

    // In the binding of HTTP, whose values are percent-encoded. Under this prefix keys and handlers find the attributes of every mode.
    private const string Prefix = "ce-";

    // In the bindings of HTTP, AMQP (both forms) and others that allow no hyphen.
    private static readonly string[] BinaryPrefixes = [Prefix, "cloudEvents:", "cloudEvents_", "ce_"];
    private static readonly (string Version, string Id)[] BinaryMarks = [.. BinaryPrefixes.Select(prefix => (prefix + "specversion", prefix + "id"))];

    /// <summary>True for a body with the members of this envelope.</summary>
    public static bool IsMarked(ReadOnlyMemory<byte> body)
    {
        Span<JsonMember> members = stackalloc JsonMember[7];
        return JsonMembers.TryFind(body.Span, Names, members, out _)
            && members[..4].ToArray().All(member => member.Type == JsonTokenType.String) && members[0].PlainText(body.Span).StartsWith("1."u8);
    }

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    /// <summary>The event's attributes as <c>ce-id</c>, <c>ce-type</c> and so on, whatever the mode.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> ReadAttributes(ReceivedMessage message)
    {
        if (!IsBinary(message))
        {
            return [.. JsonAttributes.Read(message.Body.Span, static name => name is not ("data" or "data_base64" or "specversion"), Prefix)];
        }

        Dictionary<string, string> found = new(StringComparer.Ordinal);
        foreach ((string name, string value) in message.Attributes)
        {
            if (BinaryPrefixes.FirstOrDefault(prefix => name.StartsWith(prefix, StringComparison.Ordinal)) is { } prefix)
            {
                found.TryAdd(Prefix + name[prefix.Length..], prefix == Prefix ? Uri.UnescapeDataString(value) : value);
            }
        }

        // The mark counts once: an event within this one is in structured mode.
        foreach ((string version, _) in BinaryMarks)
        {
            if (message.FindAttribute(version) is not null)
            {
                found[version] = string.Empty;
            }
        }

        return [.. found];
    }

    private static bool IsBinary(ReceivedMessage message)
    {
        foreach ((string version, string id) in BinaryMarks)
        {
            if (message.FindAttribute(version) is { Length: > 0 } && message.FindAttribute(id) is not null)
            {
                return true;
            }
        }

        return false;
    }

    private static void Unwrap(EnvelopeReading message)
    {
        if (IsBinary(message.Message))
        {
            message.SetContent(message.Body);
            return;
        }

        Span<JsonMember> members = stackalloc JsonMember[7];
        if (!JsonMembers.TryFind(message.Body.Span, Names, members, out string? fault))
        {
            message.RefuseUnrecognized(NotCloudEventReason, fault);
            return;
        }

        if (members[0].Type != JsonTokenType.String
            || members[1].Type != JsonTokenType.String
            || members[2].Type != JsonTokenType.String
            || members[3].Type != JsonTokenType.String)
        {
            message.RefuseUnrecognized(
                NotCloudEventReason,
                "An event is an object with the strings specversion, id, source and type; "
                    + "in binary mode the message has the attributes ce-specversion and ce-id.");
            return;
        }

        (JsonMember data, JsonMember base64, JsonMember contentType) = (members[4], members[5], members[6]);
        if (base64.Type == JsonTokenType.String)
        {
            SetBase64(message, base64);
        }
        else if (data.Type == JsonTokenType.None)
        {
            message.Refuse(
                NoDataReason,
                "The event has neither data nor data_base64, so there is nothing to process. To keep events without data, "
                    + "leave the envelope out: paths of keys reach into the event.");
        }
        else if (data.Type == JsonTokenType.String && IsText(message.Body.Span, data, contentType))
        {
            if (JsonMembers.TryReadText(message, data, out ReadOnlyMemory<byte> text))
            {
                message.SetContent(text);
            }
            else
            {
                message.Refuse(DamagedReason, $"data is no Unicode text: the string at byte {data.Start}.");
            }
        }
        else
        {
            message.SetContent(message.Body.Slice(data.Start, data.Length));
        }
    }

    // Without datacontenttype a string is a string of JSON. AWS.Messaging sends an object or array as such a string, however.
    private static bool IsText(ReadOnlySpan<byte> body, JsonMember data, JsonMember contentType) =>
        contentType.Type == JsonTokenType.None
            ? body[data.Start + 1] is (byte)'{' or (byte)'['
            : !IsJson(contentType.Type == JsonTokenType.String ? body.Slice(contentType.Start + 1, contentType.Length - 2) : default);

    private static bool IsJson(ReadOnlySpan<byte> escaped)
    {
        Span<byte> contentType = stackalloc byte[Math.Min(escaped.Length, MaxContentType)];
        escaped[..contentType.Length].CopyTo(contentType);
        if (escaped.Length <= MaxContentType)
        {
            contentType = contentType[..JsonEscapes.UnescapeInPlace(contentType)];
        }

        int end = contentType.IndexOf((byte)';');
        ReadOnlySpan<byte> type = (end < 0 ? contentType : contentType[..end]).Trim((byte)' ');
        return type.IsEmpty || EndsWith(type, "/json"u8) || EndsWith(type, "+json"u8);
    }

    private static bool EndsWith(ReadOnlySpan<byte> type, ReadOnlySpan<byte> end) =>
        type.Length > end.Length && Ascii.EqualsIgnoreCase(type[^end.Length..], end);

    private static void SetBase64(EnvelopeReading message, JsonMember member)
    {
        bool isText = JsonMembers.TryReadText(message, member, out ReadOnlyMemory<byte> text);
        if (isText && message.Buffer.Length == 0)
        {
            message.Buffer.Append(text.Span);
        }

        if (isText && Base64.DecodeFromUtf8InPlace(message.Buffer.WrittenSpan, out int written) == OperationStatus.Done)
        {
            message.SetContent(message.Buffer.WrittenMemory[..written]);
        }
        else
        {
            message.Refuse(DamagedReason, $"data_base64 is no base64: the string at byte {member.Start}.");
        }
    }
}
