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
/// How every suite runs: the runtime's default settings (tiered compilation, PGO, workstation collector), a process a case, rounds of
/// 150 ms. Ten rounds of warm-up, since the last tier of 40 part types takes about a second to arrive.
/// </summary>
internal sealed class SuiteConfig : ManualConfig
{
    public SuiteConfig()
    {
        AddJob(Job.Default
            .WithIterationTime(TimeInterval.FromMilliseconds(150))
            .WithWarmupCount(10)
            .WithIterationCount(10)
            .WithLaunchCount(1)
            .WithMaxRelativeError(0.02));
        AddDiagnoser(MemoryDiagnoser.Default);
        AddColumnProvider(DefaultColumnProviders.Instance);
        AddExporter(MarkdownExporter.GitHub);
        AddExporter(JsonExporter.Brief);
        AddLogger(ConsoleLogger.Default);
        WithSummaryStyle(SummaryStyle.Default.WithTimeUnit(TimeUnit.Nanosecond).WithRatioStyle(RatioStyle.Value));
        WithOptions(ConfigOptions.DisableLogFile);
    }
}
