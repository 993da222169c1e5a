using System.Buffers.Text;
using System.Text;
using System.Text.Json;

namespace Messaging.Envelopes.Json;

/// <summary>
/// Unescapes JSON strings. A lone surrogate, which JSON can escape and UTF-8 cannot hold, becomes three bytes that are not valid UTF-8, so that
/// text with one never counts as text.
/// </summary>
internal static class JsonUnescaping
{
    /// <summary>Replaces JSON escapes by the text they stand for; the result is never longer.</summary>
    /// <param name="text">The content of a JSON string that a <see cref="Utf8JsonReader"/> has validated.</param>
    /// <returns>The new length.</returns>
    public static int InPlace(Span<byte> text)
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
