using Lab.Techniques.Pages;
using Tests.Shared.Reports;

namespace Lab.Tests.Techniques;

public sealed class TechniqueCommandTests : IDisposable
{
    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("results-");
    private readonly DirectoryInfo _pages = Directory.CreateTempSubdirectory("pages-");
    private readonly StringWriter _output = new();
    private readonly StringWriter _errors = new();

    public void Dispose()
    {
        _results.Delete(recursive: true);
        _pages.Delete(recursive: true);
        _output.Dispose();
        _errors.Dispose();
    }

    [Fact]
    public void WritePages_ASuiteNotRun_LeavesItsTableAndSaysSo()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.OneBenchmarks.Original", 1, 160));
        WritePage("<!-- figures:TwoBenchmarks -->\nold\n<!-- /figures:TwoBenchmarks -->");

        Run().ShouldBe(1);

        Page().ShouldContain("\nold\n");
        _output.ToString().ShouldContain("page.md: TwoBenchmarks is not in");
    }

    [Fact]
    public void WritePages_NoResults_Fails()
    {
        WritePage("<!-- figures:TwoBenchmarks -->\nold\n<!-- /figures:TwoBenchmarks -->");

        Run().ShouldBe(2);
        _errors.ToString().ShouldContain("holds no *-report-brief.json");
    }

    [Fact]
    public void WritePages_ABlockWithoutAnEnd_Fails()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.OneBenchmarks.Original", 1, 160));
        WritePage("<!-- figures:OneBenchmarks -->\nold\n");

        Run().ShouldBe(2);
        _errors.ToString().ShouldContain("<!-- /figures:OneBenchmarks -->");
    }

    private int Run() => TechniqueCommand.WritePages([_results], _pages, _output, _errors);

    private void WritePage(string text) => File.WriteAllText(Path.Combine(_pages.FullName, "page.md"), text);

    private string Page() => File.ReadAllText(Path.Combine(_pages.FullName, "page.md"));
}
