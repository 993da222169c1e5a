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
}
