using System.Text;
using System.Text.Json;
using Quayside.Messaging.Json;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>JSON strings with half a surrogate pair, for which <see cref="Utf8JsonReader"/> throws. SQS itself delivers none.</summary>
internal static class WireText
{
    /// <summary>
    /// Whether the reader stands at this property name or string. Half a surrogate pair equals nothing, where <c>ValueTextEquals</c> would throw
    /// <see cref="InvalidOperationException"/>.
    /// </summary>
    /// <param name="reader">Reads contiguous memory.</param>
    /// <param name="text">UTF-8, unescaped.</param>
    public static bool IsText(this scoped in Utf8JsonReader reader, ReadOnlySpan<byte> text)
    {
        ReadOnlySpan<byte> value = reader.ValueSpan;
        return reader.ValueIsEscaped ? JsonEscapes.IsText(value, text) : value.SequenceEqual(text);
    }

    /// <summary>The text of a JSON string's content; lone surrogates become U+FFFD, where <c>Utf8JsonReader.GetString</c> would throw.</summary>
    public static string ToString(ReadOnlySpan<byte> escaped)
    {
        if (!escaped.Contains((byte)'\\'))
        {
            return Encoding.UTF8.GetString(escaped);
        }

        byte[] copy = escaped.ToArray();
        return Encoding.UTF8.GetString(copy, 0, JsonEscapes.UnescapeInPlace(copy));
    }
}
