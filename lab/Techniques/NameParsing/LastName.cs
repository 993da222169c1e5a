namespace Lab.Techniques.NameParsing;

/// <summary>The text after the last blank of a name: the whole name when it has none, empty when the name is empty or ends with a blank.</summary>
internal static class LastName
{
    /// <summary>Frozen: a string for every word.</summary>
    public static string Original(string? name) => string.IsNullOrEmpty(name) ? string.Empty : name.Split(' ').LastOrDefault() ?? string.Empty;

    public static string Substring(string? name) => name is null ? string.Empty : name[(name.LastIndexOf(' ') + 1)..];

    public static ReadOnlySpan<char> SpanBased(ReadOnlySpan<char> name) => name[(name.LastIndexOf(' ') + 1)..];

    /// <summary>Every word visited as a range; no string is created.</summary>
    public static ReadOnlySpan<char> SplitRanges(ReadOnlySpan<char> name)
    {
        Range last = default;
        foreach (Range word in name.Split(' '))
        {
            last = word;
        }

        return name[last];
    }
}
