using Benchmarks.Seeds;

namespace Benchmarks.Tests.Seeds;

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
    public void Run_SomeMeasured_ShowsThemBesideThePublishedAndTheRestAsNotRun()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160), ("N.NameParserBenchmarks.SpanBased", 4, 0));

        Run(markdown: true).ShouldBe(0);

        _output.ToString().ShouldContain("| string.Split | 163 ns, 160 B | - | 80 ns, 160 B | 4.0 ns, 0 B (20x) | not run |\n");
        _output.ToString().ShouldContain("Here: ?, EPYC, ? cores");
    }

    [Fact]
    public void Run_Plain_NamesTitleAuthorAndTalk()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));

        Run(markdown: false).ShouldBe(0);

        _output.ToString().ShouldContain("Last name of a full name (Steve Gordon, Turbocharged");
    }

    [Fact]
    public void Run_AReportOfReceivers_HasRatesWhereMoreIsBetter()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers("""{"Case":{"File":"udp","Unit":"datagram"},"Rows":[{"Receiver":"ArticleWithoutChannel","PerSecond":100000,"Bytes":89.4},{"Receiver":"Source","PerSecond":250000,"Bytes":0}]}""");

        Run(markdown: true).ShouldBe(0);

        _output.ToString().ShouldContain("| 144,000 datagrams/s | 147,000 datagrams/s (1.02x) | 100,000 datagrams/s, 89 B | not run | 250,000 datagrams/s, 0 B (2.5x) |");
    }

    [Fact]
    public void Run_TwoFolders_TheLaterOneCounts()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160), ("N.NameParserBenchmarks.Substring", 8, 40));
        ReportFile.Write(_others, "a", "EPYC", ("N.NameParserBenchmarks.Original", 90, 160));

        SeedsCommand.Run([_results, _others], true, null, _output, _errors).ShouldBe(0);

        _output.ToString().ShouldContain("| 90 ns, 160 B | not run | 8.0 ns, 40 B (11x) |");
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
    public void Run_ADocument_WritesEveryTableBetweenItsMarks()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        FileInfo document = new(Path.Combine(_results.FullName, "seeds.md"));
        File.WriteAllText(document.FullName, string.Concat(SeedCatalog.Load().Tables.Select(table => table.Name).Append("Here").Select(name => $"Text.\n<!-- seeds:{name} -->\n<!-- /seeds:{name} -->\n")));

        SeedsCommand.Run([_results], false, document, _output, _errors).ShouldBe(0);

        string text = File.ReadAllText(document.FullName);
        MarkedText.Content(text, SeedText.Mark, "NameParser").ShouldContain("| 80 ns, 160 B |");
        MarkedText.Content(text, SeedText.Mark, "Here").ShouldContain("EPYC");
    }

    [Fact]
    public void Run_ADocumentWithoutAPlace_Fails()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        FileInfo document = new(Path.Combine(_results.FullName, "seeds.md"));
        File.WriteAllText(document.FullName, "nothing");

        SeedsCommand.Run([_results], false, document, _output, _errors).ShouldBe(2);
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
    public void Run_AReportOfReceiversThatIsNone_Fails(string report)
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers(report);

        Run(markdown: false).ShouldBe(2);
        _errors.ToString().ShouldContain("udp.json is no report of receivers");
    }

    private void WriteReceivers(string report) => File.WriteAllText(Path.Combine(_results.FullName, "udp.json"), report);

    private int Run(bool markdown) => SeedsCommand.Run([_results], markdown, null, _output, _errors);
}
