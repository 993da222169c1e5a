using System.Text.RegularExpressions;

namespace Messaging.Http;

/// <summary>Makes one readable line of a message that callers and operators read: exception messages may have line breaks, escaped for the log, and end in a stack trace. The log keeps them.</summary>
internal static partial class OneLineText
{
    // The time of the expressions grows with the square of the length, and the text may contain what a sender sent. Bounded by this length, they
    // have no time limit: on a busy or suspended machine one would fail the answer to a message that is settled.
    private const int MaxLength = 1_024;

    public static string? Of(string? text) => text?.Length > MaxLength ? $"{OfBounded(text[..MaxLength])}…" : OfBounded(text);

    private static string? OfBounded(string? text) =>
        string.IsNullOrEmpty(text) || !text.AsSpan().ContainsAny("\\\r\n\t") ? text : Breaks().Replace(StackTrace().Replace(text, string.Empty), " ").Trim();

    // A line "at Namespace.Type.Method(", and all that follows.
    [GeneratedRegex("""(?:\r|\n|\\u000[ad])(?:\s|\\u000[9ad])*at [^\s(]+\.[^\s(]+\(.*$""", RegexOptions.Singleline | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex StackTrace();

    [GeneratedRegex("""\ *(?:[\r\n\t]|\\u000[9ad])(?:\s|\\u000[9ad])*""", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Breaks();
}
