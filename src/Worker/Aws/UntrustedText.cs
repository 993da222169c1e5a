using System.Globalization;
using System.Text;

namespace Worker.Aws;

/// <summary>Makes text from the other side fit for exceptions and logs: bounded, one line, no control characters.</summary>
internal static class UntrustedText
{
    /// <summary>The most characters that are kept, the ellipsis of a cut text included.</summary>
    public const int MaxLength = 256;

    /// <summary>
    /// At most <see cref="MaxLength"/> characters; control characters, line separators, format characters (which can reorder a
    /// terminal's line) and lone surrogates become <c>\uXXXX</c>.
    /// </summary>
    public static string Shorten(ReadOnlySpan<char> text)
    {
        StringBuilder safe = new(Math.Min(text.Length, MaxLength));
        while (!text.IsEmpty)
        {
            bool valid = Rune.DecodeFromUtf16(text, out Rune rune, out int consumed) == System.Buffers.OperationStatus.Done;
            bool plain = valid && !MustEscape(rune);
            if (safe.Length + (plain ? consumed : 6 * consumed) >= MaxLength)
            {
                return safe.Append('…').ToString();
            }

            if (plain)
            {
                safe.Append(text[..consumed]);
            }
            else
            {
                foreach (char c in text[..consumed])
                {
                    safe.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}");
                }
            }

            text = text[consumed..];
        }

        return safe.ToString();
    }

    private static bool MustEscape(Rune rune) => Rune.GetUnicodeCategory(rune) is
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
