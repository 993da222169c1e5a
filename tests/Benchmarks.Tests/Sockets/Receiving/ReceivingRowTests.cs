using Benchmarks.Sockets.Receiving;
using Harness.Pages;

namespace Benchmarks.Tests.Sockets.Receiving;

public sealed class ReceivingRowTests
{
    [Fact]
    public void Between_TwoSamples_AreRatesOfTheTimeBetween()
    {
        ReceivingRound round = ReceivingRound.Between(
            (new ReceiverSample(10, 1_000, 5_000, 1), new ReceiverSample(20, 2_000, 0, 0)),
            (new ReceiverSample(12, 3_000, 9_000, 1.5), new ReceiverSample(22, 6_000, 0, 0)));

        round.ShouldBe(new ReceivingRound(PerSecond: 1_000, CpuMicroseconds: 250, Bytes: 2, SentPerSecond: 2_000));
    }

    [Fact]
    public void Of_SeveralPasses_MediansOfRoundsAndTheLossOfAll()
    {
        ReceivingPass Pass(double rate, long sent, long received) => new("x", [new ReceivingRound(rate, rate / 10, 0, rate)], sent, received);

        ReceivingRow row = ReceivingRow.Of("x", [Pass(100, 1_000, 1_000), Pass(300, 1_000, 900), Pass(200, 2_000, 1_900)]);

        row.PerSecond.ShouldBe(200);
        row.CpuMicroseconds.ShouldBe(20);
        row.Loss.ShouldBe(0.05, tolerance: 1e-9);
    }

    [Fact]
    public void ToTable_ComparesWithTheBaselines()
    {
        ReceivingCase what = new("Title", "file", "line", "receiver", "sender", ["Bare", "Ours"], ["Bare"], MeasuresLoss: true);
        ReceivingReport report = new(
            new MachineInfo("cpu", 2, "os", "runtime", "commit"),
            DateTimeOffset.UnixEpoch,
            what,
            2,
            3,
            1,
            [new ReceivingRow("Bare", 1_000, 1, 0, 1_000, 0), new ReceivingRow("Ours", 900, 2, 0.5, 1_000, 0.1)],
            new ReceivingPass("Ours", [], 500, 500));

        string[] lines = report.ToTable().Split('\n');

        lines.ShouldContain("| Ours | 900 | 0.90 | 2.000 | 0.50 | 1,000 | 10.000 % |");
        lines.ShouldContain("Ours at half of its rate: 500 lines sent, 500 received, 0 lost.");
        lines.Where(line => line.StartsWith('|')).Select(line => line.Count(c => c == '|')).Distinct().Count().ShouldBe(1, "Every row has as many cells as the head.");
    }
}
