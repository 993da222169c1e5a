using System.Text;

namespace Worker.Telemetry;

/// <summary>Makes text from outside fit for a log line: at most 256 bytes of it, control characters escaped.</summary>
internal static class UntrustedText
{
    /// <summary>The most bytes of untrusted text a log field shows.</summary>
    public const int MaxBytes = 256;

    /// <summary>The printable form of UTF-8 bytes from outside.</summary>
    public static string Shorten(ReadOnlySpan<byte> utf8) =>
        Escape(Encoding.UTF8.GetString(utf8.Length > MaxBytes ? utf8[..MaxBytes] : utf8), utf8.Length > MaxBytes);

    /// <summary>The printable form of a text from outside.</summary>
    public static string Shorten(string? text) => text is null
        ? string.Empty
        : Escape(text.Length > MaxBytes ? text[..MaxBytes] : text, text.Length > MaxBytes);

    private static string Escape(string text, bool cut)
    {
        if (!cut && !text.AsSpan().ContainsAnyInRange('\0', '\u001f') && !text.AsSpan().ContainsAnyInRange('\u007f', '\u009f') && !text.AsSpan().ContainsAny('\u2028', '\u2029'))
        {
            return text;
        }

        StringBuilder escaped = new(text.Length + 16);
        foreach (char c in text)
        {
            if (char.IsControl(c) || c is '\u2028' or '\u2029')
            {
                escaped.Append("\\u").Append(((int)c).ToString("x4"));
            }
            else
            {
                escaped.Append(c);
            }
        }

        return cut ? escaped.Append('…').ToString() : escaped.ToString();
    }
}
