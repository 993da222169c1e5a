using System.Buffers.Text;
using System.Text;
using System.Text.Json;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads JSON strings. A lone surrogate, which JSON can escape and UTF-8 cannot hold, becomes three bytes that are not valid UTF-8, so that
/// a body with one never counts as text. SQS itself delivers none.
/// </summary>
internal static class WireText
{
    /// <summary>Replaces JSON escapes by the text they stand for; the result is never longer.</summary>
    /// <param name="text">The content of a JSON string that a <see cref="Utf8JsonReader"/> has validated.</param>
    /// <returns>The new length.</returns>
    public static int UnescapeInPlace(Span<byte> text)
    {
        int read = text.IndexOf((byte)'\\');
        if (read < 0)
        {
            return text.Length;
        }

        int written = read;
        while (read < text.Length)
        {
            read = Unescape(text, read, ref written);
            int plain = text[read..].IndexOf((byte)'\\');
            plain = plain < 0 ? text.Length - read : plain;
            text.Slice(read, plain).CopyTo(text[written..]);
            written += plain;
            read += plain;
        }

        return written;
    }

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

    // Never overwrites unread text: no escape is shorter than the text it stands for.
    private static int Unescape(Span<byte> text, int read, ref int written)
    {
        byte escape = text[read + 1];
        if (escape != (byte)'u')
        {
            text[written++] = escape switch
            {
                (byte)'n' => (byte)'\n',
                (byte)'t' => (byte)'\t',
                (byte)'r' => (byte)'\r',
                (byte)'b' => (byte)'\b',
                (byte)'f' => (byte)'\f',
                _ => escape,
            };
            return read + 2;
        }

        int unit = HexUnit(text, read + 2);
        read += 6;
        if (char.IsHighSurrogate((char)unit) && read + 6 <= text.Length && text[read] == (byte)'\\' && text[read + 1] == (byte)'u'
            && HexUnit(text, read + 2) is int low && char.IsLowSurrogate((char)low))
        {
            written += new Rune((char)unit, (char)low).EncodeToUtf8(text[written..]);
            return read + 6;
        }

        if (char.IsSurrogate((char)unit))
        {
            text[written++] = (byte)(0xE0 | (unit >> 12));
            text[written++] = (byte)(0x80 | ((unit >> 6) & 0x3F));
            text[written++] = (byte)(0x80 | (unit & 0x3F));
            return read;
        }

        written += new Rune((char)unit).EncodeToUtf8(text[written..]);
        return read;
    }

    private static int HexUnit(ReadOnlySpan<byte> text, int at) =>
        Utf8Parser.TryParse(text.Slice(at, 4), out ushort unit, out int consumed, 'x') && consumed == 4
            ? unit
            : throw new JsonException("A \\u escape is not followed by four hex digits.");
}
