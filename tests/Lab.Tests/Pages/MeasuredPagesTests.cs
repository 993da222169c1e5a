using System.Text.RegularExpressions;
using Benchmarks.Compare;
using Lab.Pages;

namespace Lab.Tests.Pages;

/// <summary>The figures of the README and of the page of performance are those of committed results.</summary>
public sealed partial class MeasuredPagesTests : IDisposable
{
    private readonly DirectoryInfo _copy = Directory.CreateTempSubdirectory("pages-");
    private readonly StringWriter _output = new();

    private static DirectoryInfo Repository => new(Documents.Root);

    /// <summary>The folder that the README names.</summary>
    private static string Results => Regex.Match(File.ReadAllText(Path.Combine(Documents.Root, "README.md")), "measured:readme ([^ ]+) -->").Groups[1].Value;

    public static IEnumerable<TheoryDataRow<string>> Pages =>
        MeasuredPages.In(Repository).Select(page => new TheoryDataRow<string>(Path.GetRelativePath(Documents.Root, page.FullName)));

    public void Dispose()
    {
        _copy.Delete(recursive: true);
        _output.Dispose();
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public void Page_TableOfFigures_IsMarkedWithItsResults(string page) =>
    TablesWithoutResults(File.ReadAllText(Path.Combine(Documents.Root, page))).ShouldBeEmpty();

    [Fact]
    public void TablesWithoutResults_FiguresOutsideOfMarks_AreFound()
    {
        const string text = """
            | command | what |
            |---|---|
            | `run` | every suite (10 minutes) |

            <!-- measured:put folder -->
            | a | 12 us |
            <!-- /measured:put -->

            <!-- profile: perf, 2026-11-25 -->
            | kernel | 35 % |

            | a | B |
            |---|---:|
            | one | 1,234 |

            | a | met |
            |---|---|
            | fast | 3 us, so met |
            """;

        TablesWithoutResults(text).ShouldBe(["| one | 1,234 |", "| fast | 3 us, so met |"]);
    }

    [Theory]
    [InlineData(@"(?<=measured:readme-promise [^>]*-->)\d")]
    [InlineData(@"(?<=\*\*the worker\*\* .*)\d")]
    public void Write_FigureThatTheResultsDoNotHold_IsReplaced(string digit)
    {
        string readme = CopyReadme(text => new Regex(digit).Replace(text, one => one.Value == "9" ? "8" : "9", count: 1));
        File.ReadAllText(readme).ShouldNotBe(File.ReadAllText(Path.Combine(Documents.Root, "README.md")));

        MeasuredPages.Write(_copy, [], _output);

        File.ReadAllText(readme).ShouldBe(File.ReadAllText(Path.Combine(Documents.Root, "README.md")));
    }

    [Fact]
    public void Write_FromAnotherFolder_ShowsItsFiguresAndNamesIt()
    {
        string readme = CopyReadme(text => text);
        DirectoryInfo other = _copy.CreateSubdirectory("other");
        File.WriteAllText(
            Path.Combine(other.FullName, "end-to-end.json"),
            Regex.Replace(
                File.ReadAllText(Path.Combine(Documents.Root, Results, "end-to-end.json")), "\"CpuMicroseconds\": [0-9.]+", "\"CpuMicroseconds\": 77"));

        MeasuredPages.Write(_copy, [other], _output);

        string text = File.ReadAllText(readme);
        text.ShouldContain("<!-- measured:readme other -->\n");
        text.ShouldContain("| **77** |");
        text.ShouldContain("(other/end-to-end.svg)");
        text.ShouldContain("77 µs of processor time");
    }

    [Theory]
    [InlineData("<!-- /measured:readme -->", "", "other half")]
    [InlineData("<!-- measured:readme ", "<!-- measured:nothing ", "other half")]
    [InlineData("measured:readme", "measured:nothing", "no text nothing")]
    public void Write_WrongMark_IsRefused(string mark, string wrong, string reason)
    {
        CopyReadme(text => text.Replace(mark, wrong, StringComparison.Ordinal));

        Should.Throw<ResultsException>(() => MeasuredPages.Write(_copy, [], _output)).Message.ShouldContain(reason);
    }

    /// <summary>A repository with the README, the pages it is written with, and the results it names.</summary>
    private string CopyReadme(Func<string, string> edit)
    {
        string readme = Path.Combine(_copy.FullName, "README.md");
        File.WriteAllText(readme, edit(File.ReadAllText(Path.Combine(Documents.Root, "README.md"))));
        Directory.CreateDirectory(Path.Combine(_copy.FullName, "docs", "evidence"));
        File.WriteAllText(Path.Combine(_copy.FullName, "docs", "evidence", "performance.md"), "# Performance\n");
        DirectoryInfo results = Directory.CreateDirectory(Path.Combine(_copy.FullName, Results));
        File.Copy(Path.Combine(Documents.Root, Results, "end-to-end.json"), Path.Combine(results.FullName, "end-to-end.json"));
        return readme;
    }

    /// <summary>The first row with a figure of every table that is neither between marks nor a marked profile.</summary>
    private static IEnumerable<string> TablesWithoutResults(string page)
    {
        bool isMarked = false;
        bool isKnown = false;
        foreach (string line in page.Split('\n').Select(line => line.TrimEnd('\r')))
        {
            isMarked =
                (isMarked || line.StartsWith("<!-- measured:", StringComparison.Ordinal)) && !line.StartsWith("<!-- /measured:", StringComparison.Ordinal);
            bool isRow = line.StartsWith('|');
            isKnown = isRow ? isKnown : line.StartsWith("<!-- profile: ", StringComparison.Ordinal);
            if (isRow && !isMarked && !isKnown && line.Trim('|').Split('|').Skip(1).Any(cell => Figure.IsMatch(cell)))
            {
                isKnown = true;
                yield return line;
            }
        }
    }

    /// <summary>A cell of numbers alone, or a number with the unit of something measured.</summary>
    [GeneratedRegex(@"^[\s*\d.,/()-]*\d[\s*\d.,/()-]*$|\d[\s*]*(ns|us|µs|ms|s|B|KB|MB|MiB|%|x|times)\b|\d ?%|\d/s\b")]
    private static partial Regex Figure { get; }
}
