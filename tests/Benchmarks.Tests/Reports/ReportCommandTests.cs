using System.Xml.Linq;
using Benchmarks.Reports;
using Tests.Shared.Reports;

namespace Benchmarks.Tests.Reports;

public sealed class ReportCommandTests : IDisposable
{
    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("report-");
    private readonly StringWriter _output = new();
    private readonly StringWriter _errors = new();

    public void Dispose()
    {
        _results.Delete(recursive: true);
        _output.Dispose();
        _errors.Dispose();
    }

    [Fact]
    public void Run_ASuite_HasATableAndABarPerRowAndCase()
    {
        ReportFile.Write(
            _results, "a", "EPYC", ("N.KeyBenchmarks.Original(Size: 1)", 800, 1_104), ("N.KeyBenchmarks.Span(Size: 1)", 200, 0),
            ("N.KeyBenchmarks.Span(Size: 2)", 44_000_000, null));

        Run().ShouldBe(0);

        XDocument page = Page();
        page.Descendants("h2").Single().Value.ShouldBe("KeyBenchmarks");
        page.Descendants("tr").Select(row => string.Join('|', row.Elements().Select(cell => cell.Value))).ShouldBe([
            "Method|Case|Median time|Of the case's first|Allocated",
            "Original|Size: 1|800 ns|1×|1.1 KB",
            "Span|Size: 1|200 ns|0.25×|0 B",
            "Span|Size: 2|44 ms|1×|-"]);
        page
            .Descendants("figure")
            .Select(chart => string.Join('|', chart.Descendants("rect").Select(bar => bar.Attribute("width")!.Value)))
            .ShouldBe(["70%|17.5%", "70%"]);
    }

    [Fact]
    public async Task Run_RowsOfACommand_AreATable()
    {
        await ResultsFile.WriteAsync(
            _results, "folder", "3 rounds",
            [new { Row = "Threads", CpuMicroseconds = 12.5, ObjectsPerSecond = 2_565.4, ObjectsPerSecondOfRounds = (double[])[1, 2] }], CancellationToken.None);

        Run().ShouldBe(0);

        Page().Descendants("h2").Single().Value.ShouldBe("folder");
        Page().Descendants("p").ShouldContain(text => text.Value.EndsWith("; 3 rounds"));
        Page()
            .Descendants("tr")
            .Select(row => string.Join('|', row.Elements().Select(cell => cell.Value)))
            .ShouldBe(["row|processor time|objects per second", "Threads|12.5 µs|2,565/s"]);
    }

    [Fact]
    public void Run_MarkupInNames_IsEncoded()
    {
        ReportFile.Write(_results, "a", "<b>EPYC</b>", ("N.KeyBenchmarks.Of<script>(Type: <i>&)", 1, 0));

        Run().ShouldBe(0);

        Page().Descendants("td").Select(cell => cell.Value).ShouldContain("Of<script>");
        Page().Descendants("i").ShouldBeEmpty();
        Page().Descendants("script").ShouldBeEmpty();
    }

    [Fact]
    public void Run_ChartWithoutASuite_NamesThem()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.KeyBenchmarks.Original", 800, 0), ("N.OtherBenchmarks.Original", 1, 0));

        Run(chart: "keys.svg").ShouldBe(2);
        Run(suite: "Missing").ShouldBe(2);

        _errors.ToString().ShouldContain("error: --chart draws one suite; name it with --suite: KeyBenchmarks, OtherBenchmarks.");
        _errors.ToString().ShouldContain("holds no suite Missing. It holds: KeyBenchmarks, OtherBenchmarks.");
    }

    [Theory]
    [InlineData(null, "holds no *-report-brief.json")]
    [InlineData("{", "put.json is not valid JSON")]
    [InlineData("""{"Rows":[1]}""", "its rows are not objects")]
    public void Run_AFolderWithoutResults_Fails(string? content, string error)
    {
        if (content is not null)
        {
            WriteFile("put.json", content);
        }

        Run().ShouldBe(2);

        _errors.ToString().ShouldStartWith("error: ");
        _errors.ToString().ShouldContain(error);
    }

    [Fact]
    public void Run_NoFolder_Fails()
    {
        ReportCommand.Run(new DirectoryInfo(Path.Combine(_results.FullName, "none")), null, null, null, _output, _errors).ShouldBe(2);

        _errors.ToString().ShouldContain("There is no folder");
    }

    private int Run(string? chart = null, string? suite = null) =>
        ReportCommand.Run(_results, page: null, chart is null ? null : new FileInfo(Path.Combine(_results.FullName, chart)), suite, _output, _errors);

    private void WriteFile(string name, string content) => File.WriteAllText(Path.Combine(_results.FullName, name), content);

    private XDocument Page() => XDocument.Load(Path.Combine(_results.FullName, "report.html"));
}
