using System.Text.RegularExpressions;
using Benchmarks.Compare;

namespace Lab.Pages;

/// <summary>
/// The README and the page of performance: what stands between <c>&lt;!-- measured:name FOLDER --&gt;</c> and <c>&lt;!-- /measured:name --&gt;</c>
/// is the text of that name in <c>Pages/tables.txt</c> with the figures of the results in FOLDER.
/// </summary>
internal static partial class MeasuredPages
{
    private static readonly Lazy<Dictionary<string, MeasuredText>> Texts = new(Load);

    /// <summary>The pages, in the repository's order.</summary>
    public static IEnumerable<FileInfo> In(DirectoryInfo repository) =>
    [
        new(Path.Combine(repository.FullName, "README.md")),
        new(Path.Combine(repository.FullName, "docs", "evidence", "performance.md")),
    ];

    /// <summary>Writes the marked parts of all pages. A part whose files the given folders have is of those from then on.</summary>
    /// <exception cref="ResultsException">A mark is wrong, or results are missing.</exception>
    public static void Write(DirectoryInfo repository, IReadOnlyList<DirectoryInfo> from, TextWriter output)
    {
        foreach (FileInfo page in In(repository))
        {
            string before = File.ReadAllText(page.FullName);
            string text = Write(before, page, repository, from);
            if (text != before)
            {
                File.WriteAllText(page.FullName, text);
                output.WriteLine($"{page.Name}: written");
            }
        }
    }

    private static string Write(string text, FileInfo page, DirectoryInfo repository, IReadOnlyList<DirectoryInfo> from)
    {
        int parts = 0;
        string written = Parts().Replace(text, part =>
        {
            parts++;
            string name = part.Groups["name"].Value;
            MeasuredText measured = Texts.Value.TryGetValue(name, out MeasuredText? found)
                ? found
                : throw new ResultsException($"{page.Name}: lab/Pages/tables.txt has no text {name}.");
            ResultRows rows = new(from);
            string[] folders = measured.Files.All(rows.Has)
                ? [.. from
                    .Where(folder => measured.Files.Any(new ResultRows([folder]).Has))
                    .Select(folder => Path.GetRelativePath(repository.FullName, folder.FullName).Replace('\\', '/'))]
                : part.Groups["folders"].Value.Split(' ');
            DirectoryInfo[] read = [.. folders.Select(folder => new DirectoryInfo(Path.Combine(repository.FullName, folder)))];
            string link = Path.GetRelativePath(page.DirectoryName!, read[0].FullName).Replace('\\', '/');
            string content = measured.Write(new ResultRows(read), link);
            string separator = content.Contains('\n', StringComparison.Ordinal) ? "\n" : string.Empty;
            return $"<!-- measured:{name} {string.Join(' ', folders)} -->{separator}{content}{separator}<!-- /measured:{name} -->";
        });
        return Marks().Count(text) == 2 * parts
            ? written
            : throw new ResultsException(
                $"{page.Name} has a mark without its other half: <!-- measured:name FOLDER --> needs <!-- /measured:name --> after it.");
    }

    private static Dictionary<string, MeasuredText> Load()
    {
        using StreamReader reader = new(typeof(MeasuredPages).Assembly.GetManifestResourceStream("Lab.Pages.tables.txt")!);
        return reader
            .ReadToEnd()
            .Split("=== ", StringSplitOptions.RemoveEmptyEntries)
            .Select(text => text.Split('\n', 2))
            .ToDictionary(text => text[0], text => new MeasuredText(text[0], text[1].Trim('\n')), StringComparer.Ordinal);
    }

    [GeneratedRegex(
        "<!-- measured:(?<name>[a-z0-9-]+) (?<folders>[^>]+?) -->(?<body>.*?)<!-- /measured:\\k<name> -->",
        RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Parts();

    [GeneratedRegex("<!-- /?measured:")]
    private static partial Regex Marks();
}
