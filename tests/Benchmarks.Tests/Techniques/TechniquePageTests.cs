using System.Text.RegularExpressions;
using Benchmarks.Techniques.Pages;

namespace Benchmarks.Tests.Techniques;

/// <summary>Every suite has its figures on a page, every page is in the index, and what pages point to is there.</summary>
public sealed partial class TechniquePageTests
{
    private const string Index = "README.md";
    private static readonly string Folder = Path.Combine(Documents.Root, "docs", "techniques");

    [Fact]
    public void Pages_Suites_EachHasOneTable()
    {
        string[] tables = [.. Pages().SelectMany(page => MarkedText.Names(page.Text, FigureTable.Mark)).Order(StringComparer.Ordinal)];

        tables.ShouldBe(SuiteTypes.Techniques.Select(suite => suite.Name).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Pages_Each_HasFiguresThatAreFilled()
    {
        foreach ((string name, string text) in Pages().Where(page => page.Name != Index))
        {
            string[] suites = [.. MarkedText.Names(text, FigureTable.Mark)];
            suites.ShouldNotBeEmpty(name);
            foreach (string suite in suites)
            {
                MarkedText.Content(text, FigureTable.Mark, suite).ShouldContain("Medians, 2", Case.Sensitive, $"{name}: {suite}");
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

    private static IEnumerable<(string Name, string Text)> Pages() => Directory.GetFiles(Folder, "*.md").Select(file => (Path.GetFileName(file), File.ReadAllText(file)));

    [GeneratedRegex(@"\]\((?<to>[^)#:]+)(#[^)]*)?\)", RegexOptions.ExplicitCapture)]
    private static partial Regex Links();
}
