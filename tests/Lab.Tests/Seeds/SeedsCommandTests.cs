using Lab.Seeds;
using Tests.Shared.Reports;

namespace Lab.Tests.Seeds;

public sealed class SeedsCommandTests : IDisposable
{
    private readonly DirectoryInfo _results = Directory.CreateTempSubdirectory("results-");
    private readonly DirectoryInfo _others = Directory.CreateTempSubdirectory("others-");
    private readonly StringWriter _output = new();
    private readonly StringWriter _errors = new();

    public void Dispose()
    {
        _results.Delete(recursive: true);
        _others.Delete(recursive: true);
        _output.Dispose();
        _errors.Dispose();
    }

    [Fact]
    public void Run_AProfileWithoutTypes_Fails()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers("harness-Fused", """{"form":"Fused"}""");

        Run(markdown: true).ShouldBe(2);
        _errors.ToString().ShouldContain("harness-Fused.json is not a report of the harness with --explain");
    }

    [Fact]
    public void Run_TwoFolders_TheLaterOneCounts()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160), ("N.NameParserBenchmarks.Substring", 8, 40));
        ReportFile.Write(_others, "a", "EPYC", ("N.NameParserBenchmarks.Original", 90, 160));

        SeedsCommand.Run([_results, _others], true, null, _output, _errors).ShouldBe(0);

        _output.ToString().ShouldContain("| 90 ns, 160 B | not run | 8.0 ns, 40 B (11x) |");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_AFolderWithoutReports_IsNoObstacle(bool isFirst)
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        File.WriteAllText(Path.Combine(_others.FullName, "alternatives.json"), "{}");

        SeedsCommand.Run(isFirst ? [_others, _results] : [_results, _others], true, null, _output, _errors).ShouldBe(0, _errors.ToString());

        _output.ToString().ShouldContain("| 80 ns, 160 B | not run |");
    }

    [Fact]
    public void Run_FoldersOfDifferentMachines_Fails()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        ReportFile.Write(_others, "a", "Xeon", ("N.NameParserBenchmarks.Original", 90, 160));

        SeedsCommand.Run([_results, _others], true, null, _output, _errors).ShouldBe(2);
        _errors.ToString().ShouldContain("different machines");
    }

    [Fact]
    public void Run_DocumentWithoutABlock_Fails()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        FileInfo document = new(Path.Combine(_results.FullName, "seeds.md"));
        File.WriteAllText(document.FullName, "nothing");

        SeedsCommand.Run([_results], false, document.Directory, _output, _errors).ShouldBe(2);
        _errors.ToString().ShouldContain("<!-- seeds:");
    }

    [Fact]
    public void Run_NoResults_Fails()
    {
        Run(markdown: false).ShouldBe(2);

        _errors.ToString().ShouldContain("holds no *-report-brief.json");
    }

    [Theory]
    [InlineData("no JSON")]
    [InlineData("{}")]
    [InlineData("""{"Case":{"File":"udp","Unit":"datagram"},"Rows":[{"Receiver":1}]}""")]
    public void Run_InvalidReportOfReceivers_Fails(string report)
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers("udp", report);

        Run(markdown: false).ShouldBe(2);
        _errors.ToString().ShouldContain("udp.json is not a report of receivers");
    }

    private void WriteReceivers(string name, string report) => File.WriteAllText(Path.Combine(_results.FullName, $"{name}.json"), report);

    private int Run(bool markdown) => SeedsCommand.Run([_results], markdown, null, _output, _errors);
}
