using Benchmarks.Aws.Put;

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

    private static PutRound Round(int bytes, double cpu)
    {
        const int Puts = 1_000;
        return new PutRound(Puts * cpu * 10 / 1e6, Puts, (long)bytes * Puts, Puts * cpu / 1e6);
    }
}
