using Harness.Pages;

namespace Harness.Reports;

/// <summary>A figure that is shown and compared.</summary>
/// <param name="Name">Its name on every page.</param>
/// <param name="Value">Reads the value; null when the run did not measure it.</param>
/// <param name="Text">Formats the value with its unit.</param>
/// <param name="IsSpeed">True when less (or more) of it means faster; --explain distorts these figures.</param>
/// <param name="MoreIsBetter">True for a rate.</param>
internal sealed record Metric(string Name, Func<HarnessReport, double?> Value, Func<double, string> Text, bool IsSpeed, bool MoreIsBetter = false)
{
    /// <summary>Below this difference two runs are the same, as in <c>benchmarks compare</c>.</summary>
    private const double Threshold = 0.02;

    public static Metric Throughput { get; } = new("Messages per second", report => report.MessagesPerSecond, Figures.Rate, IsSpeed: true, MoreIsBetter: true);

    public static IReadOnlyList<Metric> All { get; } =
    [
        Throughput,
        new("Processor time per message", report => report.ProcessorMicrosecondsPerMessage / 1e6, Figures.Time, IsSpeed: true),
        new("Bytes allocated per message", report => report.BytesPerMessage, Figures.Bytes, IsSpeed: false),
        new("GC pauses in total", report => report.PauseMilliseconds / 1e3, Figures.Time, IsSpeed: false),
        new("Latency, p50 (upper bound of its bucket)", report => report.Record?.Percentile(0.5), Figures.Time, IsSpeed: true),
        new("Latency, p99 (upper bound of its bucket)", report => report.Record?.Percentile(0.99), Figures.Time, IsSpeed: true),
    ];

    public string Show(HarnessReport report) => Value(report) is { } value ? Text(value) : "-";

    public ChartBar Bar(HarnessReport report) => new(Value(report) ?? 0, Show(report));

    /// <summary>After divided by before; null when either is missing or before is 0.</summary>
    public double? Ratio(HarnessReport before, HarnessReport after) => Value(before) is { } old and > 0 && Value(after) is { } current ? current / old : null;

    /// <summary>The verdict: faster, slower, less, more or same; empty without a ratio, or when counting objects distorted the time.</summary>
    public string Judge(HarnessReport before, HarnessReport after)
    {
        if (Ratio(before, after) is not { } ratio || (IsSpeed && (before.Allocations ?? after.Allocations) is not null))
        {
            return string.Empty;
        }

        return Math.Abs(ratio - 1) < Threshold ? "same" : !IsSpeed ? ratio < 1 ? "less" : "more" : ratio > 1 == MoreIsBetter ? "faster" : "slower";
    }
}
