using Quayside.Messaging.Http.Web.Metrics;

namespace Messaging.Tests.Http.Web.Metrics;

public sealed class HistogramSeriesTests
{
    [Theory]
    [InlineData(0.0000021)]
    [InlineData(0.00118)]
    [InlineData(0.5)]
    [InlineData(3_599)]
    public void Percentile_OfOneValue_IsWithinSixPercent(double seconds)
    {
        HistogramSeries series = new([], [1]);

        series.Record(seconds);

        HistogramSeries.Percentile(null, series.FineCounts(), 0.99)!.Value.ShouldBe(seconds, seconds * 0.065);
    }

    [Fact]
    public void Percentile_BetweenTwoCopies_LeavesOutWhatCameBefore()
    {
        HistogramSeries series = new([], [1]);
        series.Record(100);
        long[] before = series.FineCounts();
        HistogramSeries.Percentile(before, series.FineCounts(), 0.5).ShouldBeNull();

        for (int i = 1; i <= 100; i++)
        {
            series.Record(i / 1_000.0);
        }

        HistogramSeries.Percentile(before, series.FineCounts(), 0.5)!.Value.ShouldBe(0.050, 0.0035);
        HistogramSeries.Percentile(before, series.FineCounts(), 0.99)!.Value.ShouldBe(0.099, 0.0065);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(1e300)]
    public void Record_AnyValue_IsCounted(double value)
    {
        HistogramSeries series = new([], [0.005, 1]);

        series.Record(value);

        series.Counts().Sum().ShouldBe(1);
        series.FineCounts().Sum().ShouldBe(1);
    }
}
