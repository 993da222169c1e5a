using System.Xml.Linq;
using Harness;
using Harness.Pages;
using Harness.Recording;
using Harness.Reports;
using Quayside.Messaging.Configuration;

namespace Integration.Tests.Profiling.Reports;

public sealed class ComparisonTests : IDisposable
{
    private static readonly MachineInfo Here = new("EPYC", 2, "Linux", ".NET 10", "abc");

    private readonly string _folder = Directory.CreateTempSubdirectory("comparison-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(1_000, 2_000, "After is faster: 2× the messages per second of before.", "faster  Messages per second: 1,000/s -> 2,000/s (2×)")]
    [InlineData(2_000, 1_000, "Before is faster: 2× the messages per second of after.", "slower  Messages per second: 2,000/s -> 1,000/s (0.5×)")]
    [InlineData(1_000, 1_019, "Both are equally fast", "same    Messages per second: 1,000/s -> 1,019/s (1.02×)")]
    public void TwoRuns_HaveAVerdict(double before, double after, string verdict, string line)
    {
        Comparison comparison = Comparison.Read(Write("a", Run(before)), Write("b", Run(after)));

        using StringWriter text = new();
        comparison.Write(text);
        text.ToString().ShouldContain(verdict);
        text.ToString().ShouldContain(line);
        XDocument.Parse(comparison.ToPage()).Descendants("p").ShouldContain(paragraph => paragraph.Value.Contains(verdict));
    }

    [Fact]
    public void LessProcessorTime_IsFaster_FewerBytesAreLess()
    {
        HarnessReport after = Run(1_000) with { ProcessorMicrosecondsPerMessage = 5, BytesPerMessage = 100 };

        using StringWriter text = new();
        Comparison.Read(Write("a", Run(1_000)), Write("b", after)).Write(text);

        text.ToString().ShouldContain("faster  Processor time per message: 10 µs -> 5 µs (0.5×)");
        text.ToString().ShouldContain("less    Bytes allocated per message: 200 B -> 100 B (0.5×)");
    }

    [Fact]
    public void RunsWithExplain_AreComparedByBytesOnly()
    {
        HarnessReport counted = Run(1_000) with { Allocations = [new AllocationRow("System.String", 1_000, 10)] };

        using StringWriter text = new();
        Comparison.Read(Write("a", counted), Write("b", counted with { MessagesPerSecond = 9_000 })).Write(text);

        text.ToString().ShouldContain("The times include the counting of --explain, so compare only the bytes.");
        text.ToString().ShouldNotContain("faster");
    }

    [Fact]
    public void Page_WithMarkupInTypesAndSettings_EncodesIt()
    {
        const string Markup = "</td><script>alert('1')</script>&";
        HarnessReport run = Run(1_000, Markup);

        foreach (string page in (string[])[RunPage.Create([run], 1), RunPage.Create([run, run], 3), Comparison.Read(Write("a", run), Write("b", run)).ToPage()])
        {
            page.ShouldNotContain("<script");
            XDocument parsed = XDocument.Parse(page);
            parsed.Descendants("td").ShouldContain(cell => cell.Value == Markup);
            parsed.Descendants("title").ShouldContain(title => title.Value == $"A.Type{Markup}");
        }
    }

    [Theory]
    [InlineData(null, "cannot be read")]
    [InlineData("{", "was not written by 'harness --json FILE'")]
    [InlineData("[]", "was not written by 'harness --json FILE'")]
    [InlineData("null", "was not written by 'harness --json FILE'")]
    [InlineData("""{"forms":[]}""", "has no record of a run")]
    [InlineData("""{"messages":1,"seconds":1}""", "was not written by 'harness --json FILE'")]
    [InlineData(
        """{"messages":1,"seconds":1,"messagesPerSecond":1,"bytesPerMessage":1,"gen0":0,"gen1":0,"gen2":0,"form":"Fused","source":"channel","sink":"memory"}""",
        "has no record of a run")]
    public void InvalidFile_IsNamed(string? content, string error)
    {
        string path = Path.Combine(_folder, "wrong.json");
        if (content is not null)
        {
            File.WriteAllText(path, content);
        }

        StartupException exception = Should.Throw<StartupException>(() => Comparison.Read(Write("a", Run(1)), path));

        exception.ExitCode.ShouldBe(ExitCodes.Usage);
        exception.Message.ShouldContain(path);
        exception.Message.ShouldContain(error);
    }

    [Fact]
    public void IncomparableRuns_AreRefused()
    {
        HarnessReport run = Run(1);
        string one = Write("one", run);

        Error(one, Write("all", isAllForms: true, run)).ShouldContain("is of one run and");
        Error(one, Write("elsewhere", run with { Record = run.Record! with { Machine = Here with { Processor = "Xeon" } } })).ShouldContain(
            "different machines");
        Error(Write("closure", isAllForms: true, run with { Form = "Closure" }), Write("fused", isAllForms: true, run)).ShouldContain("no form in common");
    }

    private static string Error(string before, string after) => Should.Throw<StartupException>(() => Comparison.Read(before, after)).Message;

    private static HarnessReport Run(double messagesPerSecond, string markup = "") =>
        new(1_000, 0.03, messagesPerSecond, 200, 0, 0, 0, "Fused", "channel", "memory")
        {
            ProcessorMicrosecondsPerMessage = 10,
            PauseMilliseconds = 47,
            Record = new RunRecord(
                Here,
                new Dictionary<string, string> { ["Sinks:Directory:Path"] = markup },
                0.01,
                [100, 200, 300],
                [new GcPause(0.011, 44), new GcPause(0.019, 3)],
                [new LatencyBucket(0.001, 990), new LatencyBucket(0.00125, 10)],
                [new AllocationRow($"A.Type{markup}", 200_000, 2)]),
        };

    private string Write(string name, HarnessReport run) => Write(name, isAllForms: false, run);

    private string Write(string name, bool isAllForms, HarnessReport run)
    {
        string path = Path.Combine(_folder, $"{name}.json");
        File.WriteAllText(path, ReportFiles.Serialize([run], isAllForms));
        return path;
    }
}
