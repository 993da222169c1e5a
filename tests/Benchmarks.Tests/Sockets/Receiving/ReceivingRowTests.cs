using Benchmarks.Sockets.Receiving;

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
}
