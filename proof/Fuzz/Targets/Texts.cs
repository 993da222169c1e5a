
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Json;

namespace Proof.Fuzz.Targets;

/// <summary>Pieces and inputs that targets share, and JSON strings read the plain way.</summary>
internal static class Texts
{
    /// <summary>Pieces of JSON, and bytes that JSON or UTF-8 does not allow.</summary>
    public static IEnumerable<byte[]> Json { get; } =
    [
        .. Utf8(
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\"a\":", "\"a\":1,", "null", "true", "false", "-0", "0.5", "1e9", "-1.5E-3", "01", "1.", "[]", "{}",
            "\"\"",
            "\\u0000", "\\ud83d\\ude00", "\\ud800", "\\udc00", "\\n", "\\/", "\\u00e9", "\\b\\f\\r\\t", "\\x", " ", "\t", "\r\n", "\uFEFF", "é€😀", "NaN", "//",
            "[[[[[[[[[[[[[[[[", "{\"a\":{\"a\":{\"a\":{\"a\":"),
        [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0], [0x7F], [0x1F],
    ];

    public static IEnumerable<byte[]> Utf8(params IEnumerable<string> texts) => texts.Select(Encoding.UTF8.GetBytes);

    /// <summary>A line of bytes as Latin-1 without the byte order marks that it begins with.</summary>
    public static string WithoutMarks(string line)
    {
        const string Mark = "\u00EF\u00BB\u00BF";
        return line.StartsWith(Mark, StringComparison.Ordinal) ? WithoutMarks(line[Mark.Length..]) : line;
    }

    /// <summary>The bytes of a JSON string, without quotes and escapes; half a surrogate pair is written as three bytes.</summary>
    public static byte[] Unescape(JsonElement text) => Unescape(JsonMarshal.GetRawUtf8Value(text)[1..^1]);

    /// <summary>The bytes of a property's name, like those of a string.</summary>
    public static byte[] Unescape(JsonProperty property) => Unescape(JsonMarshal.GetRawUtf8PropertyName(property));

    private static byte[] Unescape(ReadOnlySpan<byte> raw)
    {
        List<byte> bytes = [];
        int high = 0;
        for (int at = 0; at < raw.Length; at++)
        {
            if (raw[at] != '\\')
            {
                bytes.Add(raw[at]);
                high = 0;
                continue;
            }

            at++;
            if (raw[at] != 'u')
            {
                bytes.Add((byte)"\b\f\n\r\t\"\\/"["bfnrt\"\\/".IndexOf((char)raw[at], StringComparison.Ordinal)]);
                high = 0;
                continue;
            }

            int unit = Convert.ToInt32(Encoding.ASCII.GetString(raw.Slice(at + 1, 4)), 16);
            at += 4;
            if (high != 0 && char.IsLowSurrogate((char)unit))
            {
                bytes.RemoveRange(bytes.Count - 3, 3);
                bytes.AddRange(Encoding.UTF8.GetBytes(new string([(char)high, (char)unit])));
                high = 0;
                continue;
            }

            high = char.IsHighSurrogate((char)unit) ? unit : 0;
            bytes.AddRange(char.IsSurrogate((char)unit)
                ? [(byte)(0xE0 | (unit >> 12)), (byte)(0x80 | ((unit >> 6) & 0x3F)), (byte)(0x80 | (unit & 0x3F))]
                : Encoding.UTF8.GetBytes([(char)unit]));
        }

        return [.. bytes];
    }

    /// <summary>Whether a property has this name; half a surrogate pair matches no name.</summary>
    public static bool IsName(JsonProperty property, string name)
    {
        try
        {
            return property.NameEquals(name);
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Parses JSON as the runtime does; null when it is malformed.</summary>
    /// <remarks>
    /// Most inputs are malformed, and an exception costs more than everything else about them. So the scanner, which the target <c>json</c>
    /// compares with the runtime's reader, decides what is malformed.
    /// </remarks>
    public static JsonDocument? Parse(ReadOnlyMemory<byte> json)
    {
        JsonScanner scanner = new(json.Span, rejectLoneSurrogates: false);
        int end = scanner.SkipValue(scanner.SkipBlanks(0), depth: 0);
        return end >= 0 && scanner.SkipBlanks(end) == json.Length ? JsonDocument.Parse(json) : null;
    }
}
