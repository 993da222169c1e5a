using System.Text.RegularExpressions;

namespace Messaging.Http;

/// <summary>Hides absolute paths of this machine in texts that callers read: exception messages of file calls contain them. The log keeps them.</summary>
internal static partial class PathFreeText
{
    private const string Hidden = "'…'";

    public static string? Of(string? text) =>
        string.IsNullOrEmpty(text) ? text : Bare().Replace(Quoted().Replace(OneLineText.Of(text)!, Hidden), Hidden);

    // Up to a quote that ends a word, because a path may contain others; to the end of a truncated text.
    [GeneratedRegex("""'(?:/|\\\\|[A-Za-z]:[\\/])(?:.*?'(?=$|[\s.,;:)])|.*$)""", RegexOptions.Singleline | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Quoted();

    // At least two levels, and not within a URL or a relative path.
    [GeneratedRegex("""(?<![\w:/.%~-])/[^\s'"/]+/[^\s'"]+""", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: Timeout.Infinite)]
    private static partial Regex Bare();
}
