using System.Text.RegularExpressions;

namespace Messaging.Http;

/// <summary>
/// Takes the paths of this machine out of a reason before a caller reads it: messages of file calls end in the path they were about.
/// The log keeps them.
/// </summary>
internal static partial class PathFreeText
{
    private const string Hidden = "'…'";

    /// <summary>The text without absolute paths.</summary>
    public static string? Of(string? text) =>
        string.IsNullOrEmpty(text) ? text : Bare().Replace(Quoted().Replace(text, Hidden), Hidden);

    // Up to the last quote, since a path may hold one itself; to the end where the text was cut before it.
    [GeneratedRegex("""'(?:/|\\\\|[A-Za-z]:[\\/])(?:.*'|.*$)""", RegexOptions.Singleline | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1_000)]
    private static partial Regex Quoted();

    // Two levels at least, and no part of an address or of a relative path.
    [GeneratedRegex("""(?<![\w:/.%~-])/[^\s'"/]+/[^\s'"]+""", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1_000)]
    private static partial Regex Bare();
}
