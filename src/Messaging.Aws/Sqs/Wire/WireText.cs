using System.Text;
using System.Text.Json;
using Messaging.Envelopes.Json;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads JSON strings. A lone surrogate, which JSON can escape and UTF-8 cannot hold, becomes three bytes that are not valid UTF-8, so that
/// a body with one never counts as text. SQS itself delivers none.
/// </summary>
internal static class WireText
{
    /// <inheritdoc cref="JsonUnescaping.InPlace"/>
    public static int UnescapeInPlace(Span<byte> text) => JsonUnescaping.InPlace(text);

    /// <summary>
    /// Whether the reader stands at this property name or string. Half a surrogate pair equals nothing, where <c>ValueTextEquals</c> would throw
    /// <see cref="InvalidOperationException"/>.
    /// </summary>
    /// <param name="reader">Reads contiguous memory.</param>
    /// <param name="text">UTF-8, unescaped.</param>
    public static bool IsText(this scoped in Utf8JsonReader reader, ReadOnlySpan<byte> text)
    {
        ReadOnlySpan<byte> value = reader.ValueSpan;
        if (!reader.ValueIsEscaped)
        {
            return value.SequenceEqual(text);
        }

        // An escape has six bytes per byte of text at most, so a longer value is another one.
        if (value.Length > text.Length * 6)
        {
            return false;
        }

        Span<byte> copy = stackalloc byte[value.Length];
        value.CopyTo(copy);
        return copy[..UnescapeInPlace(copy)].SequenceEqual(text);
    }

    /// <summary>The text of a JSON string's content; lone surrogates become U+FFFD, where <c>Utf8JsonReader.GetString</c> would throw.</summary>
    public static string ToString(ReadOnlySpan<byte> escaped)
    {
        if (!escaped.Contains((byte)'\\'))
        {
            return Encoding.UTF8.GetString(escaped);
        }

        byte[] copy = escaped.ToArray();
        return Encoding.UTF8.GetString(copy, 0, UnescapeInPlace(copy));
    }
}
