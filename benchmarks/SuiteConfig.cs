using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using Perfolizer.Horology;

namespace Benchmarks;

/// <summary>
/// How every suite runs: the runtime's default settings (tiered compilation, PGO, workstation collector) and one process per case. The
/// rounds differ.
/// </summary>
internal sealed class SuiteConfig : ManualConfig
{
    private SuiteConfig(Job job)
    {
        AddJob(job);
        AddDiagnoser(MemoryDiagnoser.Default);
        AddColumnProvider(DefaultColumnProviders.Instance);
        AddExporter(MarkdownExporter.GitHub);
        AddExporter(JsonExporter.Brief);
        AddLogger(ConsoleLogger.Default);
        WithSummaryStyle(SummaryStyle.Default.WithTimeUnit(TimeUnit.Nanosecond).WithRatioStyle(RatioStyle.Value));
        WithOptions(ConfigOptions.DisableLogFile);

        // Everything is built again for the child processes; the default of two minutes is too short on a busy machine.
        WithBuildTimeout(TimeSpan.FromMinutes(10));
    }

    /// <summary>Rounds of 150 ms. Ten of warm-up, since 40 part types reach the last tier after about a second.</summary>
    public static SuiteConfig Full() => new(Rounds(150, 10, 10).WithMaxRelativeError(0.02));

    /// <summary>For small methods, which reach the last tier in half a second: rounds of 100 ms, 8 of warm-up, 5 measured.</summary>
    public static SuiteConfig Short() => new(Rounds(100, 8, 5));

    /// <summary>A quick look: bytes are right, times must not be published.</summary>
    public static SuiteConfig Quick() => new(Rounds(50, 6, 3));

    private static Job Rounds(int milliseconds, int warmUp, int counted) => Job.Default
        .WithIterationTime(TimeInterval.FromMilliseconds(milliseconds))
        .WithWarmupCount(warmUp)
        .WithIterationCount(counted)
        .WithLaunchCount(1);
}
