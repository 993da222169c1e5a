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
/// How every suite runs: the runtime's default settings (tiered compilation, PGO, workstation collector) and a process a case. The
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

        // Everything is built once more for the child processes: two minutes, the default, do not suffice on a busy machine.
        WithBuildTimeout(TimeSpan.FromMinutes(10));
    }

    /// <summary>Rounds of 150 ms. Ten of warm-up, since the last tier of 40 part types takes about a second to arrive.</summary>
    public static SuiteConfig Full() => new(Rounds(150, 10, 10).WithMaxRelativeError(0.02));

    /// <summary>For small methods, whose last tier arrives in half a second: rounds of 100 ms, 8 of warm-up, 5 that count.</summary>
    public static SuiteConfig Short() => new(Rounds(100, 8, 5));

    /// <summary>A look: bytes are right, times are not to be published.</summary>
    public static SuiteConfig Quick() => new(Rounds(50, 6, 3));

    private static Job Rounds(int milliseconds, int warmUp, int counted) => Job.Default
        .WithIterationTime(TimeInterval.FromMilliseconds(milliseconds))
        .WithWarmupCount(warmUp)
        .WithIterationCount(counted)
        .WithLaunchCount(1);
}
