using System.Buffers;
using System.Globalization;
using System.Text;

namespace Messaging.Telemetry;

/// <summary>
/// Makes text from outside fit for a log line: at most 256 bytes of it, cut between characters. Control characters, line
/// separators, format characters (which can reorder a terminal's line) and lone surrogates become <c>\uXXXX</c>.
/// </summary>
public static class UntrustedText
{
    /// <summary>The most bytes of untrusted text, as UTF-8 and before escaping, that a log field shows.</summary>
    public const int MaxBytes = 256;

    private static readonly SearchValues<char> Plain = SearchValues.Create(
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    /// <summary>The printable form of UTF-8 bytes from outside; what is not UTF-8 becomes U+FFFD.</summary>
    public static string Shorten(ReadOnlySpan<byte> utf8)
    {
        // One byte more than is shown tells whether anything was cut; a character that this cuts apart lies behind the limit.
        ReadOnlySpan<byte> shown = utf8.Length > MaxBytes ? utf8[..(MaxBytes + 1)] : utf8;
        return Shorten(Encoding.UTF8.GetString(shown));
    }

    /// <summary>The printable form of a text from outside.</summary>
    public static string Shorten(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return string.Empty;
        }

        return text.Length <= MaxBytes && !text.AsSpan().ContainsAnyExcept(Plain) ? text : Escape(text);
    }

    private static string Escape(ReadOnlySpan<char> text)
    {
        StringBuilder escaped = new(Math.Min(text.Length, MaxBytes) + 16);
        int left = MaxBytes;
        while (!text.IsEmpty)
        {
            bool valid = Rune.DecodeFromUtf16(text, out Rune rune, out int consumed) == OperationStatus.Done;
            left -= rune.Utf8SequenceLength;
            if (left < 0)
            {
                return escaped.Append('…').ToString();
            }

            if (valid && !MustEscape(rune))
            {
                escaped.Append(text[..consumed]);
            }
            else
            {
                foreach (char c in text[..consumed])
                {
                    escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
                }
            }

            text = text[consumed..];
        }

        return escaped.ToString();
    }

    private static bool MustEscape(Rune rune) => Rune.GetUnicodeCategory(rune)
        is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
