using System.Buffers;
using System.Globalization;
using System.Text;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Makes untrusted text safe for a log line: at most 256 bytes of it, cut between characters. Control characters, line separators, format
/// characters (which can reorder the text in a terminal) and lone surrogates become <c>\uXXXX</c>.
/// </summary>
public static class UntrustedText
{
    /// <summary>Maximum number of bytes of untrusted text, as UTF-8 and before escaping, in a log field.</summary>
    public const int MaxBytes = 256;

    private const int MaxQuote = 80;

    // Enough for some 30 frames; a dead letter in a queue shares the space of the message.
    private const int MaxExceptionBytes = 4_096;

    private static readonly SearchValues<char> Plain = SearchValues.Create(
        " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    /// <summary>The printable form of untrusted UTF-8 bytes; invalid bytes become U+FFFD.</summary>
    public static string Shorten(ReadOnlySpan<byte> utf8)
    {
        // One byte more than is shown, to detect a cut; a character that this splits is beyond the limit.
        ReadOnlySpan<byte> shown = utf8.Length > MaxBytes ? utf8[..(MaxBytes + 1)] : utf8;
        return Shorten(Encoding.UTF8.GetString(shown));
    }

    /// <summary>How an answer of another service begins: at most 80 bytes of it, in one line and in quotes.</summary>
    /// <param name="answer">Its body, or the begin of it.</param>
    public static string Quote(ReadOnlySpan<byte> answer)
    {
        string text = Encoding.UTF8.GetString(answer[..Math.Min(answer.Length, MaxQuote)]);
        return $"\"{Shorten(string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)))}\"";
    }

    /// <summary>The printable form of an untrusted text.</summary>
    public static string Shorten(string? text)
    {
        if (string.IsNullOrEmpty(text))
        {
            return string.Empty;
        }

        return text.Length <= MaxBytes && !text.AsSpan().ContainsAnyExcept(Plain) ? text : Escape(text);
    }

    /// <summary>The lines of an untrusted text, whole: tabs stay, and what else would control a terminal is escaped.</summary>
    public static string[] Lines(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Escape(text.Replace("\r\n", "\n", StringComparison.Ordinal), int.MaxValue, kept: "\n\t").Split('\n');
    }

    /// <summary>The message of an exception of foreign code, whose property may throw; then the name of its type.</summary>
    internal static string MessageOf(Exception exception)
    {
        try
        {
            return exception.Message;
        }
        catch (Exception)
        {
            return exception.GetType().Name;
        }
    }

    /// <summary>
    /// The text of an exception with its stack for a dead letter: at most 4,096 bytes of it, escaped like <see cref="Shorten(string?)"/> except for its line
    /// breaks.
    /// </summary>
    internal static string Describe(Exception exception)
    {
        string text;
        try
        {
            text = exception.ToString();
        }
        catch (Exception)
        {
            // Of foreign code, whose properties may throw.
            text = exception.GetType().FullName ?? exception.GetType().Name;
        }

        return Escape(text.ReplaceLineEndings("\n"), MaxExceptionBytes, kept: "\n");
    }

    private static string Escape(ReadOnlySpan<char> text, int maxBytes = MaxBytes, string kept = "")
    {
        StringBuilder escaped = new(Math.Min(text.Length, maxBytes) + 16);
        int left = maxBytes;
        while (!text.IsEmpty)
        {
            bool valid = Rune.DecodeFromUtf16(text, out Rune rune, out int consumed) == OperationStatus.Done;
            left -= rune.Utf8SequenceLength;
            if (left < 0)
            {
                return escaped.Append('…').ToString();
            }

            if (valid && (!MustEscape(rune) || (rune.IsAscii && kept.Contains((char)rune.Value, StringComparison.Ordinal))))
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
