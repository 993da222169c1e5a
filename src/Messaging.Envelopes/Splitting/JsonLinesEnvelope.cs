using System.Text.Json;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Splitting;

/// <summary>
/// One message per line (JSON Lines, NDJSON). Lines end with LF or CRLF, blank ones are skipped, and the last needs
/// no end. What a line holds is for the handler to judge, so that a bad one is a dead letter alone.
/// </summary>
internal sealed class JsonLinesEnvelope : IEnvelope
{
    public const string NoLinesReason = "no-json-lines";

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    /// <summary>True for a line that is an object, and another that begins with one.</summary>
    public static bool BeginsLikeOne(ReadOnlySpan<byte> body)
    {
        int end = body.IndexOf((byte)'\n');
        if (end < 0 || !body[end..].TrimStart("\r\n"u8).StartsWith((byte)'{'))
        {
            return false;
        }

        Utf8JsonReader line = JsonMembers.ReaderOf(body[..end], out _);
        try
        {
            bool isObject = line.Read() && line.TokenType == JsonTokenType.StartObject;
            line.Skip();
            return isObject && !line.Read();
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static void Unwrap(EnvelopeReading message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        int at = body.StartsWith((ReadOnlySpan<byte>)[0xEF, 0xBB, 0xBF]) ? 3 : 0;
        while (at < body.Length)
        {
            int end = body[at..].IndexOf((byte)'\n');
            int length = end < 0 ? body.Length - at : end;
            ReadOnlyMemory<byte> line = message.Body.Slice(at, length).Trim(" \t\r"u8);
            if (!line.IsEmpty && !message.AddElement(line))
            {
                return;
            }

            at += length + 1;
        }

        if (!message.HasElements)
        {
            message.Refuse(NoLinesReason, "The body has no line that is not blank.");
        }
    }
}
