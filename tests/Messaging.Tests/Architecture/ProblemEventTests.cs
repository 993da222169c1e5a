using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;

namespace Messaging.Tests.Architecture;

/// <summary>Each event of a problem can be looked up: the page links its heading in the guide of alerts, and the table of events has it.</summary>
public sealed class ProblemEventTests
{
    private const string Given = @"(?:RouteProblem\.(?:Failure|Warning)\(|InputDropped\(|\bEvent = )\s*(?<id>[0-9]{4})\b";

    private static readonly string Root = Path.GetFullPath(Path.Combine(Folder(), "../../.."));

    /// <summary>The events of problems, as the sources give them.</summary>
    public static TheoryData<int> Events => [.. Directory
        .EnumerateFiles(Path.Combine(Root, "src"), "*.cs", SearchOption.AllDirectories)
        .SelectMany(static file => Regex.Matches(File.ReadAllText(file), Given))
        .Select(static match => int.Parse(match.Groups["id"].Value))
        .Distinct()
        .Order()];

    [Theory]
    [MemberData(nameof(Events))]
    public void Event_HasItsHeadingAndItsRow(int id)
    {
        Headings().ShouldContainKey(id);
        string heading = Headings()[id];

        File.ReadAllText(Path.Combine(Root, "docs/guides/alerts.md")).Split('\n')
            .ShouldContain(line => string.Equals(line, $"## {heading}", StringComparison.OrdinalIgnoreCase));
        File.ReadAllLines(Path.Combine(Root, "docs/reference/events.md")).ShouldContain(line => line.StartsWith($"| {id} | "));
    }

    [Fact]
    public void Headings_AreThoseOfTheEvents() =>
        Headings().Keys.ShouldBe(Events.Select(static row => row.Data).Order());

    private static SortedDictionary<int, string> Headings() => new(Regex
        .Matches(File.ReadAllText(Path.Combine(Root, "src/Messaging.Console/Page/Content/page.js")), "(?<id>[0-9]{4}): '(?<heading>[a-z]+)'")
        .ToDictionary(static match => int.Parse(match.Groups["id"].Value), static match => match.Groups["heading"].Value));

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
