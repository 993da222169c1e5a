using System.Text.RegularExpressions;
using BenchmarkDotNet.Attributes;
using Lab.Techniques.Pages;

namespace Lab.Tests.Techniques;

/// <summary>Every suite has a table on a page, each table has the rows of its suite, the index lists every page, and links lead to files.</summary>
public sealed partial class TechniquePageTests
{
    private const string Index = "README.md";
    private static readonly string Folder = Path.Combine(Documents.Root, "lab", "docs", "techniques");

    [Fact]
    public void Pages_Suites_EachHasOneTable()
    {
        string[] tables = [.. Pages().SelectMany(page => MarkedText.Names(page.Text, FigureTable.Mark)).Order(StringComparer.Ordinal)];

        tables.ShouldBe(LabSuites.Techniques.Select(suite => suite.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Pages_Tables_HaveTheRowsOfTheirSuite()
    {
        foreach ((string name, string text) in Pages())
        {
            foreach (string suite in MarkedText.Names(text, FigureTable.Mark))
            {
                string[] methods = [
                    .. LabSuites.Techniques
                        .Single(type => type.Name == suite)
                        .GetMethods()
                        .Where(method => method.IsDefined(typeof(BenchmarkAttribute), true))
                        .Select(method => method.Name)];
                string table = MarkedText.Content(text, FigureTable.Mark, suite);
                string[] rows =
                    [.. table.Split('\n').Where(line => line.StartsWith("| ", StringComparison.Ordinal)).Skip(1).Select(line => line.Split('|')[1].Trim())];

                // Either not filled in yet, or one row per method of the suite, so that an added or renamed method fails.
                (table == FigureTable.Pending || rows.ToHashSet(StringComparer.Ordinal).SetEquals(methods)).ShouldBeTrue($"{name}: {suite}");
            }
        }
    }

    [Fact]
    public void Index_Pages_LinksEach()
    {
        string index = File.ReadAllText(Path.Combine(Folder, Index));

        Pages().Select(page => page.Name).Where(name => name != Index).ShouldAllBe(name => index.Contains($"({name})", StringComparison.Ordinal));
    }

    [Fact]
    public void Pages_Links_LeadToFiles()
    {
        string[] dead =
        [
            .. Pages().SelectMany(page => Links().Matches(page.Text)
                .Select(link => link.Groups["to"].Value)
                .Where(to => !Path.Exists(Path.Combine(Folder, to)))
                .Select(to => $"{page.Name}: {to}")),
        ];

        dead.ShouldBeEmpty();
    }

    private static IEnumerable<(string Name, string Text)> Pages() =>
        Directory.GetFiles(Folder, "*.md").Select(file => (Path.GetFileName(file), File.ReadAllText(file)));

    [GeneratedRegex(@"\]\((?<to>[^)#:]+)(#[^)]*)?\)", RegexOptions.ExplicitCapture)]
    private static partial Regex Links();
}
