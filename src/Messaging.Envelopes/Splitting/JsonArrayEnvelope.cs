using System.Globalization;
using System.Text.Json;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Splitting;

/// <summary>
/// A JSON array with one message per element, byte for byte. Its whole is read before the first element is processed, since the elements of a malformed one
/// have no known end.
/// </summary>
internal sealed class JsonArrayEnvelope : IEnvelope
{
    public const string NotArrayReason = "not-a-json-array";
    public const string DamagedReason = "json-array-damaged";

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    /// <summary>True for an array that begins with an object.</summary>
    public static bool BeginsLikeOne(ReadOnlySpan<byte> body)
    {
        Utf8JsonReader reader = JsonMembers.ReaderOf(body, out _);
        try
        {
            return reader.Read() && reader.TokenType == JsonTokenType.StartArray && reader.Read() && reader.TokenType == JsonTokenType.StartObject;
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private static void Unwrap(EnvelopeReading message)
    {
        Utf8JsonReader reader = JsonMembers.ReaderOf(message.Body.Span, out int start);
        bool isArray = false;
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartArray)
            {
                message.RefuseUnrecognized(
                    NotArrayReason, string.Create(CultureInfo.InvariantCulture, $"The body is not a JSON array: byte {start + reader.TokenStartIndex}."));
                return;
            }

            isArray = true;
            message.Split();
            while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
            {
                int from = start + (int)reader.TokenStartIndex;
                reader.Skip();
                if (!message.AddElement(message.Body[from..(start + (int)reader.BytesConsumed)]))
                {
                    return;
                }
            }

            // What follows the array must be blank.
            reader.Read();
        }
        catch (JsonException)
        {
            string position = string.Create(CultureInfo.InvariantCulture, $"byte {start + reader.BytesConsumed}");
            if (isArray)
            {
                message.Refuse(DamagedReason, $"The array is malformed at {position}, so none of its elements is processed.");
            }
            else
            {
                message.RefuseUnrecognized(NotArrayReason, $"The body is not JSON: {position}.");
            }
        }
    }
}
