using Harness.Pages;

namespace Harness.Recording;

/// <summary>The data that a report shows besides the figures of every run; recorded only when a report or a file of figures is requested.</summary>
/// <param name="Machine">The machine of the run.</param>
/// <param name="Settings">The settings, by option or configuration key; secrets are masked.</param>
/// <param name="BinSeconds">Length of a throughput bin.</param>
/// <param name="MessagesPerSecond">The throughput, bin by bin.</param>
/// <param name="Pauses">Every pause of the garbage collector.</param>
/// <param name="Latency">From acceptance to settlement: messages by upper bound, from the fastest to the slowest; empty without a pipeline.</param>
/// <param name="SampledAllocations">Bytes and samples by type, one sample per 100 KB; empty when every object was counted.</param>
internal sealed record RunRecord(
    MachineInfo Machine,
    IReadOnlyDictionary<string, string> Settings,
    double BinSeconds,
    IReadOnlyList<double> MessagesPerSecond,
    IReadOnlyList<GcPause> Pauses,
    IReadOnlyList<LatencyBucket> Latency,
    IReadOnlyList<AllocationRow> SampledAllocations)
{
    /// <summary>The upper bound of the bucket that holds the percentile; null without latencies.</summary>
    public double? Percentile(double share)
    {
        double left = share * Latency.Sum(bucket => bucket.Messages);
        foreach (LatencyBucket bucket in Latency)
        {
            left -= bucket.Messages;
            if (left <= 0)
            {
                return bucket.Seconds;
            }
        }

        return null;
    }
}

/// <param name="AtSeconds">Its start, from the start of the span.</param>
/// <param name="Milliseconds">How long all threads were stopped.</param>
internal sealed record GcPause(double AtSeconds, double Milliseconds);

/// <param name="Seconds">Upper bound.</param>
/// <param name="Messages">Messages that took longer than the previous bound and at most this one.</param>
internal sealed record LatencyBucket(double Seconds, long Messages);
