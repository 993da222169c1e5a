using System.Text.RegularExpressions;

namespace Quayside.Messaging.Http;

/// <summary>
/// Makes one readable line of a message that callers and operators read: exception messages may have line breaks, escaped for the log, and end in a stack
/// trace. The log keeps them.
/// </summary>
internal static partial class OneLineText
{
    // The time of the expressions grows with the square of the length, and the text may contain what a sender sent. Bounded by this length, they
    // have no time limit: on a busy or suspended machine one would fail the answer to a message that is settled.
    private const int MaxLength = 1_024;

    public static string? Of(string? text) => text?.Length > MaxLength ? $"{OfBounded(text[..MaxLength])}…" : OfBounded(text);

    private static string? OfBounded(string? text) =>
        string.IsNullOrEmpty(text) || !text.AsSpan().ContainsAny("\\\r\n\t") ? text : Breaks().Replace(StackTrace().Replace(text, string.Empty), " ").Trim();

    // A line "at Namespace.Type.Method(", and all that follows.
    [GeneratedRegex(
        """(?:\r|\n|\\u000[ad])(?:\s|\\u000[9ad])*at [^\s(]+\.[^\s(]+\(.*$""", RegexOptions.Singleline | RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex StackTrace();

    [GeneratedRegex("""\ *(?:[\r\n\t]|\\u000[9ad])(?:\s|\\u000[9ad])*""", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Breaks();
}

/// <summary>Hides absolute paths of this machine in texts that callers read: exception messages of file calls contain them. The log keeps them.</summary>
internal static partial class PathFreeText
{
    private const string Hidden = "'…'";

    public static string? Of(string? text) =>
        string.IsNullOrEmpty(text) ? text : Bare().Replace(Quoted().Replace(OneLineText.Of(text)!, Hidden), Hidden);

    // Up to a quote that ends a word, because a path may contain others; to the end of a truncated text.
    [GeneratedRegex(
        """'(?:/|\\\\|[A-Za-z]:[\\/])(?:.*?'(?=$|[\s.,;:)])|.*$)""", RegexOptions.Singleline | RegexOptions.ExplicitCapture,
        matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Quoted();

    // At least two levels, and not within a URL or a relative path.
    [GeneratedRegex("""(?<![\w:/.%~-])/[^\s'"/]+/[^\s'"]+""", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Bare();
}
