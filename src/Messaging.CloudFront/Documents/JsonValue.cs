using System.Buffers;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>Writes values as the content of JSON strings.</summary>
internal static class JsonValue
{
    /// <summary>Maximum bytes written per byte of a value: <c>\u001f</c> has 6.</summary>
    public const int MaxBytesPerByte = 6;

    // Printable ASCII without the quotation mark and the backslash.
    private static readonly SearchValues<byte> Plain = SearchValues.Create(
        [.. Enumerable.Range(0x20, 0x7F - 0x20).Select(value => (byte)value).Where(value => value is not ((byte)'"' or (byte)'\\'))]);

    private static readonly SearchValues<byte> Escaped = SearchValues.Create(
        [.. Enumerable.Range(0, 0x20).Select(value => (byte)value), (byte)'"', (byte)'\\']);

    private static ReadOnlySpan<byte> Hex => "0123456789abcdef"u8;

    /// <summary>True for a value that can be copied unchanged: ASCII without characters to escape.</summary>
    public static bool IsPlain(ReadOnlySpan<byte> value) => value.IndexOfAnyExcept(Plain) < 0;

    /// <summary>Writes valid UTF-8 and escapes the characters that JSON requires to be escaped (RFC 8259, section 7).</summary>
    /// <param name="value">Valid UTF-8.</param>
    /// <param name="target">At least <see cref="MaxBytesPerByte"/> times as long.</param>
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<byte> value, Span<byte> target)
    {
        int written = 0;
        while (true)
        {
            int at = value.IndexOfAny(Escaped);
            ReadOnlySpan<byte> asItIs = at < 0 ? value : value[..at];
            asItIs.CopyTo(target[written..]);
            written += asItIs.Length;
            if (at < 0)
            {
                return written;
            }

            written += Escape(value[at], target[written..]);
            value = value[(at + 1)..];
        }
    }

    private static int Escape(byte value, Span<byte> target)
    {
        byte letter = value switch
        {
            (byte)'"' or (byte)'\\' => value,
            (byte)'\b' => (byte)'b',
            (byte)'\t' => (byte)'t',
            (byte)'\n' => (byte)'n',
            (byte)'\f' => (byte)'f',
            (byte)'\r' => (byte)'r',
            _ => (byte)'u',
        };
        target[0] = (byte)'\\';
        target[1] = letter;
        if (letter != 'u')
        {
            return 2;
        }

        "00"u8.CopyTo(target[2..]);
        target[4] = Hex[value >> 4];
        target[5] = Hex[value & 15];
        return MaxBytesPerByte;
    }
}
