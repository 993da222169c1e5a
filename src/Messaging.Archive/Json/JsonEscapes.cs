using System.Buffers.Text;
using System.Text;

namespace Messaging.Archive.Json;

/// <summary>The escapes of JSON strings (RFC 8259, section 7). The scanner's cold path: few messages have escapes.</summary>
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

    /// <summary>
    /// Writes the text that <paramref name="escaped"/> encodes.
    /// </summary>
    /// <param name="escaped">The bytes of a string that the scanner accepted, without lone surrogates.</param>
    /// <param name="destination">Receives UTF-8. The length of <paramref name="escaped"/> always suffices, because an unescaped string is never longer.</param>
    /// <returns>Bytes written.</returns>
    public static int Unescape(ReadOnlySpan<byte> escaped, Span<byte> destination)
    {
        int written = 0;
        while (true)
        {
            int plain = escaped.IndexOf((byte)'\\');
            if (plain < 0)
            {
                escaped.CopyTo(destination[written..]);
                return written + escaped.Length;
            }

            escaped[..plain].CopyTo(destination[written..]);
            written += plain;
            escaped = escaped[(plain + 1)..];
            if (escaped[0] != 'u')
            {
                destination[written++] = Single(escaped[0]);
                escaped = escaped[1..];
                continue;
            }

            TryReadUnit(escaped[1..], out ushort unit);
            escaped = escaped[(1 + HexDigits)..];
            if (char.IsHighSurrogate((char)unit))
            {
                TryReadUnit(escaped[2..], out ushort low);
                escaped = escaped[(2 + HexDigits)..];
                written += new Rune((char)unit, (char)low).EncodeToUtf8(destination[written..]);
            }
            else
            {
                written += new Rune((char)unit).EncodeToUtf8(destination[written..]);
            }
        }
    }

    private static byte Single(byte escape) => escape switch
    {
        (byte)'b' => (byte)'\b',
        (byte)'f' => (byte)'\f',
        (byte)'n' => (byte)'\n',
        (byte)'r' => (byte)'\r',
        (byte)'t' => (byte)'\t',
        _ => escape,
    };
}
