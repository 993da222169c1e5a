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
    public void Run_AReportOfReceivers_HasRatesWhereMoreIsBetterAndLosses()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers("udp64", """{"Case":{"File":"udp64","Unit":"datagram"},"Rows":[{"Receiver":"ArticleWithoutChannel","PerSecond":100000,"Bytes":89.4,"Loss":0.0123},{"Receiver":"Source","PerSecond":250000,"Bytes":0,"Loss":0}]}""");

        Run(markdown: true).ShouldBe(0);

        _output.ToString().ShouldContain("| 144,000 datagrams/s | 147,000 datagrams/s (1.02x) | 100,000 datagrams/s, 89 B, 1.23 % lost | not run | 250,000 datagrams/s, 0 B, 0.00 % lost (2.5x) |");
    }

    [Fact]
    public void Run_ProfilesOfTheHarness_SumUpWhatTheChainAllocates()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        WriteReceivers("harness-Closure", """
            {"form":"Closure","allocations":[{"type":"System.Func<Pipeline.Contexts.PipelineContext, System.Threading.Tasks.Task>","bytes":320000,"count":5000},
            {"type":"Pipeline.Execution.Closure.ClosureChain<Pipeline.Contexts.PhysicalContext>.<>c__DisplayClass3_0","bytes":160000,"count":5000},
            {"type":"Pipeline.Execution.Closure.ClosureNext<Messaging.Archive.ArchiveContext>","bytes":48000,"count":2000},{"type":"System.String","bytes":100,"count":2}]}
            """);
        WriteReceivers("harness-Fused", """{"form":"Fused","allocations":[{"type":"System.String","bytes":100,"count":2}]}""");

        Run(markdown: true).ShouldBe(0);

        _output.ToString().ShouldContain("| 54.66 MB | 130.9 KB | 528,000 B, 12,000 objects | not run | 0 B, 0 objects |");
        _output.ToString().ShouldContain("| 27.83 MB | not among the largest | 320,000 B, 5,000 objects | not run | 0 B, 0 objects |");
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
    public void Run_Collections_AreShownWhereTheyWerePublished()
    {
        ReportFile.Write(_results, "a", "EPYC", 1_000, ("N.JsonPoolingConcurrentBenchmarks.NewStringBuilder", 80, 160), ("N.ObjectKeyBuilderBenchmarks.Original", 359, 1_104));

        Run(markdown: true).ShouldBe(0);

        _output.ToString().ShouldContain("| 80 ns, 160 B, 3,000 gen 0 and 1,000.0 gen 1 per million |");
        _output.ToString().ShouldContain("| 359 ns, 1,104 B |");
        _output.ToString().ShouldContain("| 19.9 GB, 54,000 gen 0 |");
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
    public void Run_ADocument_WritesEveryTableBetweenItsMarks()
    {
        ReportFile.Write(_results, "a", "EPYC", ("N.NameParserBenchmarks.Original", 80, 160));
        FileInfo document = new(Path.Combine(_results.FullName, "seeds.md"));
        File.WriteAllText(document.FullName, string.Concat(SeedCatalog.Load().Tables.Select(table => table.Name).Append("Here").Select(name => $"Text.\n<!-- seeds:{name} -->\n<!-- /seeds:{name} -->\n")));

        SeedsCommand.Run([_results], false, document.Directory, _output, _errors).ShouldBe(0);

        string text = File.ReadAllText(document.FullName);
        MarkedText.Content(text, SeedText.Mark, "NameParser").ShouldContain("| 80 ns, 160 B |");
        MarkedText.Content(text, SeedText.Mark, "Here").ShouldContain("EPYC");
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
