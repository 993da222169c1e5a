using System.Text.RegularExpressions;

namespace Lab;

/// <summary>
/// Documents whose tables are generated: what stands between <c>&lt;!-- kind:Name --&gt;</c> and <c>&lt;!-- /kind:Name --&gt;</c> is replaced, the rest is
/// written by hand.
/// </summary>
internal static partial class MarkedText
{
    /// <summary>The names of a kind of mark that begin a block, in the document's order.</summary>
    public static IEnumerable<string> Names(string text, string kind) =>
        Marks().Matches(text).Where(mark => mark.Groups["kind"].Value == kind).Select(mark => mark.Groups["name"].Value);

    /// <exception cref="FormatException">The block has no beginning or no end.</exception>
    public static string Replace(string text, string kind, string name, string content)
    {
        (int start, int end) = Find(text, kind, name);
        return $"{text[..start]}\n{content.Trim('\n')}\n{text[end..]}";
    }

    /// <summary>What a block holds, without the line breaks around it.</summary>
    /// <exception cref="FormatException">The block has no beginning or no end.</exception>
    public static string Content(string text, string kind, string name)
    {
        (int start, int end) = Find(text, kind, name);
        return text[start..end].Trim('\n');
    }

    private static (int Start, int End) Find(string text, string kind, string name)
    {
        string opening = $"<!-- {kind}:{name} -->";
        string closing = $"<!-- /{kind}:{name} -->";
        int start = text.IndexOf(opening, StringComparison.Ordinal);
        int end = start < 0 ? -1 : text.IndexOf(closing, start, StringComparison.Ordinal);
        return end < 0 ? throw new FormatException($"There is no block from {opening} to {closing}.") : (start + opening.Length, end);
    }

    [GeneratedRegex("<!-- (?<kind>[a-z]+):(?<name>[A-Za-z0-9]+) -->", RegexOptions.ExplicitCapture)]
    private static partial Regex Marks();
}
