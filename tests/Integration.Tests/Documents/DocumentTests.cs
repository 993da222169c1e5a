using System.Text.RegularExpressions;

namespace Integration.Tests.Documents;

/// <summary>The documentation: links lead to files and headings, pages stay short, and words that hide the actor or the field's own term are absent.</summary>
public sealed partial class DocumentTests
{

    // As many as a user can survey. Proofs, figures and decisions are evidence.
    private const int MaxUserPages = 45;

    private static readonly string[] Folders = ["docs", "samples", "templates", "src", "harness", "benchmarks", "lab", "proof", "deploy"];

    public static TheoryData<string> Pages => [.. FindPages().Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Links_OfAPage_LeadToFilesAndHeadings(string page)
    {
        string path = RepositoryFolder.Combine(page);
        string text = WithoutCode(File.ReadAllText(path));
        List<string> broken = [];
        foreach (Match link in Link.Matches(text))
        {
            string target = link.Groups["target"].Value;
            if (target.Contains("://", StringComparison.Ordinal) || target.StartsWith("mailto:", StringComparison.Ordinal))
            {
                continue;
            }

            string[] parts = target.Split('#', 2);
            string file = parts[0].Length == 0 ? path : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(path)!, parts[0]));
            bool found = File.Exists(file) ? parts.Length == 1 || Headings(file).Contains(parts[1]) : parts.Length == 1 && Directory.Exists(file);
            if (!found)
            {
                broken.Add(target);
            }
        }

        broken.ShouldBeEmpty();
    }

    [Fact]
    public void Index_NamesEveryPageOfDocs()
    {
        string index = File.ReadAllText(RepositoryFolder.Combine("docs", "README.md"));
        string folder = RepositoryFolder.Combine("docs");

        string[] missing = [.. Directory.EnumerateFiles(folder, "*.md", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(folder, file).Replace('\\', '/'))
            .Where(page => page != "README.md" && !index.Contains($"]({page})", StringComparison.Ordinal))];

        missing.ShouldBeEmpty();
    }

    [Fact]
    public void Texts_AvoidWordsThatNameNoActor() => Lines(static _ => true)
        .Where(line => Avoided.IsMatch(line.Text))
        .Select(line => $"{line.Place}: {line.Text.Trim()}")
        .ShouldBeEmpty();

    /// <summary>Pages have links; compose files, manifests, settings, sources and log messages name pages as text.</summary>
    [Fact]
    public void References_OutsideThePages_LeadToFilesAndHeadings()
    {
        List<string> broken = [];
        int found = 0;
        foreach ((string place, string text) in Lines(static file => Path.GetExtension(file) != ".md" && !file.StartsWith("tests/", StringComparison.Ordinal)))
        {
            // Both would have to be searched for.
            if (Section.IsMatch(text))
            {
                broken.Add($"{place}: names a section in words, so give the page and its heading, such as docs/guides/operate.md#kubernetes: {text.Trim()}");
            }

            foreach (Match reference in Reference.Matches(text))
            {
                found++;
                string file = RepositoryFolder.Combine(reference.Groups["file"].Value.TrimEnd('.', '/'));
                string heading = reference.Groups["heading"].Value;
                bool leads = File.Exists(file) ? heading.Length == 0 || Headings(file).Contains(heading) : heading.Length == 0 && Directory.Exists(file);
                if (!leads)
                {
                    broken.Add($"{place}: {reference.Value}");
                }
            }
        }

        broken.ShouldBeEmpty();
        found.ShouldBeGreaterThan(50);
    }

    [Fact]
    public void Pages_ThatAreNotEvidence_AreFew() => FindPages()
        .Count(page => page.StartsWith("docs/", StringComparison.Ordinal) && !page.StartsWith("docs/evidence/", StringComparison.Ordinal))
        .ShouldBeInRange(30, MaxUserPages);

    [Theory]
    [InlineData("docs/reference/sqs.md")]
    [InlineData("docs/reference/service-bus.md")]
    [InlineData("docs/reference/rabbitmq.md")]
    [InlineData("docs/reference/http.md")]
    [InlineData("docs/reference/tcp.md")]
    [InlineData("docs/reference/udp.md")]
    [InlineData("docs/reference/s3.md")]
    [InlineData("docs/reference/azure-blobs.md")]
    [InlineData("docs/reference/elasticsearch.md")]
    [InlineData("docs/reference/sinks.md")]
    [InlineData("docs/reference/valid-messages.md")]
    [InlineData("docs/reference/object-keys.md")]
    [InlineData("docs/guides/cloudfront.md")]
    [InlineData("docs/guides/envelopes.md")]
    [InlineData("docs/guides/bundles.md")]
    public void PageOfAComponent_HasTheSectionsOfAll(string page)
    {
        IEnumerable<string> sections = Heading.Matches(FencedCode.Replace(File.ReadAllText(RepositoryFolder.Combine(page)), string.Empty))
            .Where(heading => heading.Value.StartsWith("## ", StringComparison.Ordinal))
            .Select(heading => heading.Groups["text"].Value.Trim());

        sections.Take(6).ShouldBe(["Quick start", "Settings", "Guarantees", "Faults", "Metrics", "Recipes"]);
    }

    private static IEnumerable<string> FindPages()
    {
        string root = RepositoryFolder.Combine();
        EnumerationOptions recursive = new() { RecurseSubdirectories = true };
        return Directory.EnumerateFiles(root, "*.md")
            .Concat(Folders.SelectMany(folder => Directory.EnumerateFiles(Path.Combine(root, folder), "*.md", recursive)))
            .Select(file => Path.GetRelativePath(root, file))
            .Where(IsOurs);
    }

    private static IEnumerable<(string Place, string Text)> Lines(Func<string, bool> includes)
    {
        string root = RepositoryFolder.Combine();
        EnumerationOptions recursive = new() { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.None };
        return Folders.Concat(["tests", ".ci", ".github"])
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(root, folder), "*", recursive))
            .Concat(Directory.EnumerateFiles(root))
            .Select(file => Path.GetRelativePath(root, file).Replace('\\', '/'))
            .Where(file => IsText(file) && IsOurs(file) && Path.GetFileName(file) != $"{nameof(DocumentTests)}.cs" && includes(file))
            .SelectMany(file => File.ReadLines(Path.Combine(root, file)).Select((line, index) => ($"{file}:{index + 1}", line)));
    }

    private static bool IsOurs(string path) => !path.Split(Path.DirectorySeparatorChar).Any(part => part is "bin" or "obj" or "node_modules" or "results");

    private static bool IsText(string file) =>
        Path.GetExtension(file) is ".cs" or ".md" or ".yml" or ".yaml" or ".json" or ".js" or ".mjs" or ".html" or ".sh" or ".service" or ".csproj" or ".props"
            or "";

    /// <summary>The anchors that GitHub gives a page's headings.</summary>
    private static HashSet<string> Headings(string file) =>
        [.. Heading
            .Matches(FencedCode.Replace(File.ReadAllText(file), string.Empty))
            .Select(heading => NotInAnchors.Replace(heading.Groups["text"].Value.Trim().ToLowerInvariant(), string.Empty).Replace(' ', '-'))];

    private static string WithoutCode(string text) => InlineCode.Replace(FencedCode.Replace(text, string.Empty), string.Empty);

    [GeneratedRegex(@"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link { get; }

    [GeneratedRegex(@"(?<![\w/.-])(?<file>(?:docs|deploy|samples)/[\w./-]+|(?:README|CONTRIBUTING|SECURITY|CHANGELOG)\.md)(?:#(?<heading>[\w-]+))?")]
    private static partial Regex Reference { get; }

    [GeneratedRegex(
        @"(?:README|CONTRIBUTING|docs/[\w./-]+),? (?:section|chapter)\b|(?:section|chapter) [\w ]+ (?:of|in) (?:the )?README", RegexOptions.IgnoreCase)]
    private static partial Regex Section { get; }

    [GeneratedRegex("[Ww]hoever|[Nn]obody|[Ss]omebody|[Cc]omes? again|[Gg]oes back|[Hh]anded back|\\bmended|what is none|how-many-th")]
    private static partial Regex Avoided { get; }

    [GeneratedRegex("^#{1,6} (?<text>.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading { get; }

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex FencedCode { get; }

    [GeneratedRegex("`[^`\n]*`")]
    private static partial Regex InlineCode { get; }

    [GeneratedRegex(@"[^\p{L}\p{N} _-]")]
    private static partial Regex NotInAnchors { get; }
}
