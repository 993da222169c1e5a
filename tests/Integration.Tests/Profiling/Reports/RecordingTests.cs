using Harness.Pages;
using Harness.Recording;

namespace Integration.Tests.Profiling.Reports;

public sealed class RecordingTests
{
    [Fact]
    public void ToBins_UnevenSamples_SpreadsTheCountEvenlyBetweenThem()
    {
        (double binSeconds, IReadOnlyList<double> rates) = ThroughputSampler.ToBins([(0, 0), (0.5, 50), (3, 300), (4, 300)]);

        binSeconds.ShouldBe(4 / 3.0, 1e-5);
        rates.Select(rate => rate * binSeconds).Sum().ShouldBe(300, 0.5);
        rates[0].ShouldBe(100, 0.1);
        rates[2].ShouldBe(25, 0.1);
    }

    [Fact]
    public void ToBins_OneSample_IsOneEmptyBin() => ThroughputSampler.ToBins([(0, 7)]).MessagesPerSecond.ShouldBe([0]);

    [Fact]
    public void Latency_IsCountedByTheBoundThatItDoesNotExceed()
    {
        using LatencyCounter counter = new();
        foreach (double seconds in (double[])[0.001, 0.0010001, 0.002, 5_000])
        {
            counter.Add(seconds);
        }

        IReadOnlyList<LatencyBucket> buckets = counter.ToBuckets();

        buckets.Where(bucket => bucket.Messages > 0).Select(bucket => bucket.Seconds).ShouldBe([0.001, 0.00125, 0.002, 1_000]);
        RunRecord record = new(new MachineInfo("", 1, "", "", ""), new Dictionary<string, string>(), 1, [1], [], buckets, []);
        record.Percentile(0.25).ShouldBe(0.001);
        record.Percentile(0.5).ShouldBe(0.00125);
        record.Percentile(1).ShouldBe(1_000);
        (record with { Latency = [] }).Percentile(0.5).ShouldBeNull();
    }

    [Theory]
    [InlineData(0, "0 s")]
    [InlineData(4.4e-10, "0.44 ns")]
    [InlineData(12.34e-6, "12.3 µs")]
    [InlineData(0.044, "44 ms")]
    [InlineData(99.96, "100 s")]
    public void Time_HasThreeDigitsAndItsUnit(double seconds, string text) => Figures.Time(seconds).ShouldBe(text);

    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(711.4, "711 B")]
    [InlineData(12_345_678, "12.3 MB")]
    [InlineData(1_234_000_000, "1.23 GB")]
    public void Bytes_AreDecimal(double bytes, string text) => Figures.Bytes(bytes).ShouldBe(text);

    [Fact]
    public void Rate_HasThousands() => Figures.Rate(1_234.4).ShouldBe("1,234/s");
}
