using System.Text.Json;
using Benchmarks.Aws.Put;
using Harness.Pages;

namespace Benchmarks.Tests.Aws.Put;

public sealed class PutReportTests
{
    [Fact]
    public void Of_SeveralPasses_TakesTheMedianOfAllRounds()
    {
        PutClientReport one = new(2, Settled: true, 900, [Round(100, 10), Round(300, 30), Round(200, 20)]);
        PutClientReport two = new(12, Settled: false, 900, [Round(1_000, 100), Round(400, 40)]);

        PutRow row = PutRow.Of(PutClientKind.DirectSink, [one, two], 7);

        row.BytesAPut.ShouldBe(300);
        row.CpuMicrosecondsAPut.ShouldBe(30, tolerance: 1e-9);
        row.PutsACpuSecond.ShouldBe(1e6 / 30, tolerance: 1e-6);
        row.Settled.ShouldBe(1);
    }

    [Theory]
    [InlineData(1_000, 1_010, 50, 51, true)]
    [InlineData(1_000, 1_030, 50, 51, false)]
    [InlineData(1_000, 1_010, 50, 60, false)]
    public void Agrees_TwoRounds_ComparesBytesAndProcessorTime(int bytes, int otherBytes, double cpu, double otherCpu, bool agree) =>
        Round(bytes, cpu).Agrees(Round(otherBytes, otherCpu)).ShouldBe(agree);

    [Fact]
    public void ToTable_AllClients_ComparesWithBothKindsOfSdk()
    {
        PutReport report = Report();

        string table = report.ToTable();

        table.ShouldContain("| SdkDefaults | 1,000 | 100.0 | 10,000 | 1.0 | 0.5 | 1,000 | 1.0 | 0.5 | 5.0 | 1 of 1 |");
        table.ShouldContain("| DirectSink | 1,000 | 25.0 | 40,000 | 4.0 | 2.0 | 4,000 | 4.0 | 2.0 | 5.0 | 1 of 1 |");
        table.ShouldContain("EPYC, 2 hardware threads, Linux, .NET 10, commit abc, 2026-11-21");
    }

    [Fact]
    public void ToJson_AReport_NamesClientsAndMachine()
    {
        using JsonDocument json = JsonDocument.Parse(Report().ToJson());

        json.RootElement.GetProperty("Machine").GetProperty("Commit").GetString().ShouldBe("abc");
        json.RootElement.GetProperty("Rows")[1].GetProperty("Client").GetString().ShouldBe("SdkTuned");
    }

    private static PutReport Report() => new(
        new MachineInfo("EPYC", 2, "Linux", ".NET 10", "abc"), new DateTimeOffset(2026, 11, 21, 0, 0, 0, TimeSpan.Zero), 1_024, 16, 2, 1,
        [Row(PutClientKind.SdkDefaults, 100), Row(PutClientKind.SdkTuned, 50), Row(PutClientKind.DirectSink, 25)]);

    // Each PUT takes ten times as much processor time as wall-clock time.
    private static PutRow Row(PutClientKind kind, double cpu) => PutRow.Of(kind, [new PutClientReport(2, Settled: true, 100, [Round(1_000, cpu)])], 5);

    private static PutRound Round(int bytes, double cpu)
    {
        const int Puts = 1_000;
        return new PutRound(Puts * cpu * 10 / 1e6, Puts, (long)bytes * Puts, Puts * cpu / 1e6);
    }
}
