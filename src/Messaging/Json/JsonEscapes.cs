using System.Buffers.Text;
using System.Numerics;
using System.Runtime.Intrinsics;
using System.Text;
using System.Text.Json;

namespace Quayside.Messaging.Json;

/// <summary>
/// The escapes of JSON strings (RFC 8259, section 7). Half a surrogate pair, which JSON can escape and UTF-8 cannot hold, becomes three bytes
/// that are not valid UTF-8, so that text with one never counts as text.
/// </summary>
internal static class JsonEscapes
{
    /// <summary>The longest escape of one UTF-8 byte: <c>\u0041</c>.</summary>
    public const int MaxBytesPerByte = 6;

    private const int HexDigits = 4;

    /// <summary>Reads the four digits of <c>\uXXXX</c>.</summary>
    /// <param name="text">The text from the first digit; may be too short.</param>
    /// <param name="unit">The UTF-16 code unit.</param>
    public static bool TryReadUnit(ReadOnlySpan<byte> text, out ushort unit)
    {
        unit = 0;
        return text.Length >= HexDigits
            && Utf8Parser.TryParse(text[..HexDigits], out unit, out int consumed, 'x')
            && consumed == HexDigits;
    }

    /// <summary>True when a string's content means this text.</summary>
    /// <param name="escaped">The bytes between the quotes of a valid string.</param>
    /// <param name="text">UTF-8, unescaped.</param>
    public static bool IsText(ReadOnlySpan<byte> escaped, ReadOnlySpan<byte> text)
    {
        if (escaped.Length < text.Length || escaped.Length > text.Length * MaxBytesPerByte)
        {
            return false;
        }

        Span<byte> copy = stackalloc byte[escaped.Length];
        return copy[..Unescape(escaped, copy)].SequenceEqual(text);
    }

    /// <summary>Writes the text that <paramref name="escaped"/> means.</summary>
    /// <param name="escaped">The bytes between the quotes of a valid string.</param>
    /// <param name="destination">Receives it. As many bytes as <paramref name="escaped"/> has always suffice.</param>
    /// <returns>Bytes written.</returns>
    public static int Unescape(ReadOnlySpan<byte> escaped, Span<byte> destination)
    {
        escaped.CopyTo(destination);
        return UnescapeInPlace(destination[..escaped.Length]);
    }

    /// <summary>Replaces escapes by the text they stand for; the result is never longer.</summary>
    /// <param name="text">The bytes between the quotes of a valid string.</param>
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
            if (text[read] == '\\')
            {
                // These two are nearly all the escapes of a document within a string.
                if (text[read + 1] is (byte)'"' or (byte)'\\')
                {
                    text[written++] = text[read + 1];
                    read += 2;
                }
                else
                {
                    read = UnescapeOne(text, read, ref written);
                }
            }
            else
            {
                int plain = MovePlain(text, read, written);
                read += plain;
                written += plain;
            }
        }

        return written;
    }

    // Moves what is before the next backslash, a vector at a time: an escaped document has one every ten bytes or so, too near for IndexOf and a
    // copy each.
    private static int MovePlain(Span<byte> text, int read, int written)
    {
        int start = read;
        while (text.Length - read >= Vector128<byte>.Count)
        {
            Vector128<byte> bytes = Vector128.Create<byte>(text[read..]);
            uint backslashes = Vector128.Equals(bytes, Vector128.Create((byte)'\\')).ExtractMostSignificantBits();
            int plain = backslashes == 0 ? Vector128<byte>.Count : BitOperations.TrailingZeroCount(backslashes);
            if (written + Vector128<byte>.Count <= read + plain)
            {
                // All sixteen, since they end before the first unread byte.
                bytes.CopyTo(text[written..]);
            }
            else
            {
                text.Slice(read, plain).CopyTo(text[written..]);
            }

            read += plain;
            written += plain;
            if (backslashes != 0)
            {
                return read - start;
            }
        }

        while (read < text.Length && text[read] != '\\')
        {
            text[written++] = text[read++];
        }

        return read - start;
    }

    // Never overwrites unread text: no escape is shorter than the text it stands for.
    private static int UnescapeOne(Span<byte> text, int read, ref int written)
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

        ushort unit = ReadUnit(text[(read + 2)..]);
        read += 2 + HexDigits;
        if (char.IsHighSurrogate((char)unit)
            && text[read..].StartsWith("\\u"u8)
            && ReadUnit(text[(read + 2)..]) is ushort low
            && char.IsLowSurrogate((char)low))
        {
            written += new Rune((char)unit, (char)low).EncodeToUtf8(text[written..]);
            return read + 2 + HexDigits;
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

    private static ushort ReadUnit(ReadOnlySpan<byte> digits) =>
        TryReadUnit(digits, out ushort unit) ? unit : throw new JsonException("A \\u escape is not followed by four hex digits.");
}
