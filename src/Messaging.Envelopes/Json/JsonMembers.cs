using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.Json;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Envelopes.Json;

/// <summary>The members of an object that make it an envelope, and where they are.</summary>
internal static class JsonMembers
{
    private static readonly JsonReaderOptions Options = new()
    {
        CommentHandling = JsonCommentHandling.Disallow,

        // Deeper than a message may be, so that the handler judges its content, and alone.
        MaxDepth = 256,
    };

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>A reader of a body, after its byte order mark if it has one.</summary>
    public static Utf8JsonReader ReaderOf(ReadOnlySpan<byte> body, out int start)
    {
        start = body.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0;
        return new Utf8JsonReader(body[start..], Options);
    }

    /// <summary>Finds members of the object that the body is; of a name that occurs several times, the last.</summary>
    /// <param name="body">The whole of it must be valid JSON.</param>
    /// <param name="names">The names; comparing costs nothing for others.</param>
    /// <param name="members">Receives one member per name; its type is None where the object has none.</param>
    /// <param name="fault">Why the body is no such object, and at which byte.</param>
    public static bool TryFind(ReadOnlySpan<byte> body, ReadOnlySpan<byte[]> names, Span<JsonMember> members, [NotNullWhen(false)] out string? fault)
    {
        members.Clear();
        JsonScanner json = new(body, rejectLoneSurrogates: false);
        int start = json.SkipBlanks(body.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0);
        if (json.Peek(start) != '{')
        {
            fault = string.Create(
                CultureInfo.InvariantCulture, $"The body is not {(json.SkipValue(start, depth: 0) < 0 ? "JSON" : "a JSON object")}: byte {start}.");
            return false;
        }

        int at = FindMembers(ref json, start, names, members);
        if (at >= 0 && json.SkipBlanks(at) < body.Length)
        {
            at = json.Fail(JsonFault.Malformed, json.SkipBlanks(at));
        }

        fault = at >= 0 ? null
            : json.Failure == JsonFault.TooDeep
            ? string.Create(CultureInfo.InvariantCulture, $"The body has more than {JsonScanner.MaxDepth} levels of objects and arrays: byte {json.FailedAt}.")
            : string.Create(CultureInfo.InvariantCulture, $"The body is not JSON: byte {json.FailedAt}.");
        return at >= 0;
    }

    /// <summary>Makes the text of a string member the message's content.</summary>
    /// <param name="message">The message.</param>
    /// <param name="member">A member of type String.</param>
    /// <param name="text">The text: a part of the body, or of the message's buffer. Valid UTF-8.</param>
    /// <returns>False when the text cannot be told, as with half of a surrogate pair.</returns>
    public static bool TryReadText(EnvelopeReading message, JsonMember member, out ReadOnlyMemory<byte> text)
    {
        ReadOnlyMemory<byte> quoted = message.Body.Slice(member.Start, member.Length);
        if (!member.IsEscaped)
        {
            text = quoted[1..^1];
            return System.Text.Unicode.Utf8.IsValid(text.Span);
        }

        int start = message.Buffer.Length;
        bool isText = TryAppendText(message.Body.Span, member, message.Buffer);
        text = isText ? message.Buffer.WrittenMemory[start..] : default;
        return isText;
    }

    /// <summary>Appends the text of a string member.</summary>
    /// <returns>As for <see cref="TryReadText"/>.</returns>
    public static bool TryAppendText(ReadOnlySpan<byte> body, JsonMember member, PooledBuffer target)
    {
        ReadOnlySpan<byte> escaped = body.Slice(member.Start + 1, member.Length - 2);
        Span<byte> text = target.GetSpan(escaped.Length)[..escaped.Length];
        escaped.CopyTo(text);
        int length = member.IsEscaped ? JsonEscapes.UnescapeInPlace(text) : text.Length;
        target.Advance(length);
        return System.Text.Unicode.Utf8.IsValid(text[..length]);
    }

    private static int FindMembers(ref JsonScanner json, int at, ReadOnlySpan<byte[]> names, Span<JsonMember> members)
    {
        at = json.Enter(at, '{', out bool isEnd);
        while (!isEnd)
        {
            at = json.ReadName(at, out JsonText name);
            if (at < 0)
            {
                return at;
            }

            int start = at;
            JsonText text = default;
            JsonTokenType type = TypeOf(json.Peek(at));

            // The members of a value are not among the levels around it: the handler judges how deep its content is.
            at = type == JsonTokenType.String ? json.ReadString(at, out text) : json.SkipValue(at, depth: 0);
            if (at < 0)
            {
                return at;
            }

            if (Find(name, json.Json, names) is var found and >= 0)
            {
                members[found] = new JsonMember(type, start, at - start, text.HasEscapes);
            }

            at = json.Next(at, '}', out isEnd);
        }

        return at;
    }

    private static int Find(JsonText name, ReadOnlySpan<byte> json, ReadOnlySpan<byte[]> names)
    {
        for (int i = 0; i < names.Length; i++)
        {
            if (name.Is(json, names[i]))
            {
                return i;
            }
        }

        return -1;
    }

    private static JsonTokenType TypeOf(byte first) => first switch
    {
        (byte)'"' => JsonTokenType.String,
        (byte)'{' => JsonTokenType.StartObject,
        (byte)'[' => JsonTokenType.StartArray,
        (byte)'t' => JsonTokenType.True,
        (byte)'f' => JsonTokenType.False,
        (byte)'n' => JsonTokenType.Null,
        _ => JsonTokenType.Number,
    };
}

/// <summary>The value of a member.</summary>
/// <param name="Type">None where the object has no such member.</param>
/// <param name="Start">Its first byte in the body.</param>
/// <param name="Length">Its length in bytes, quotes included.</param>
/// <param name="IsEscaped">True for a string with escapes.</param>
internal readonly record struct JsonMember(JsonTokenType Type, int Start, int Length, bool IsEscaped)
{
    /// <summary>True for a member with a value other than null.</summary>
    public bool IsPresent => Type is not (JsonTokenType.None or JsonTokenType.Null);

    /// <summary>The text of a string without escapes, as marks of envelopes are.</summary>
    public ReadOnlySpan<byte> PlainText(ReadOnlySpan<byte> body) => Type == JsonTokenType.String && !IsEscaped ? body.Slice(Start + 1, Length - 2) : default;
}
