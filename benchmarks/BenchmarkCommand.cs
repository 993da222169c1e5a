using System.CommandLine;
using BenchmarkDotNet.Running;
using Benchmarks.Bytes;
using Benchmarks.Charts;
using Benchmarks.Cold;
using Benchmarks.Compare;

namespace Benchmarks;

/// <summary>The benchmarks' command line: BenchmarkDotNet's own behind <c>run</c>, and what it does not have beside it.</summary>
internal static class BenchmarkCommand
{
    public static Task<int> RunAsync(string[] args)
    {
        if (args is ["cold-child", ..])
        {
            // Before anything else is compiled: the process measures its own first steps.
            return Task.FromResult(ColdChild.Run(args));
        }

        Command run = new("run", "Runs BenchmarkDotNet suites; its own options follow, such as --filter '*Execution*'") { TreatUnmatchedTokensAsErrors = false };
        run.SetAction(result => RunSuites(result.UnmatchedTokens));

        Option<FileInfo> expected = new("--expected") { Description = "The file of expected bytes", DefaultValueFactory = _ => new FileInfo("benchmarks/expected-bytes.json") };
        Option<bool> update = new("--update") { Description = "Write what is measured into the file instead of checking it" };
        Command bytes = new("bytes", "Counts the bytes a message allocates in every case and fails on any rise") { expected, update };
        bytes.SetAction(result => ByteGate.Run(result.GetValue(expected)!, result.GetValue(update)));

        Option<int> launches = new("--launches") { Description = "Processes a case", DefaultValueFactory = _ => 15 };
        Option<DirectoryInfo?> output = new("--output") { Description = "Folder for cold-start.md" };
        Command cold = new("cold", "Composes a chain and sends one message, each time in a new process") { launches, output };
        cold.SetAction((result, cancellationToken) => ColdStart.RunAsync(result.GetValue(launches), result.GetValue(output), cancellationToken));

        Argument<DirectoryInfo> before = new("before") { Description = "A results folder" };
        Argument<DirectoryInfo> after = new("after") { Description = "Another one of the same machine" };
        Option<double> threshold = new("--threshold") { Description = "Share of the time below which two rows are the same", DefaultValueFactory = _ => 0.02 };
        Command compare = new("compare", "Compares two results folders row by row") { before, after, threshold };
        compare.SetAction(result => ResultComparer.Run(result.GetValue(before)!, result.GetValue(after)!, result.GetValue(threshold), Console.Out));

        Argument<DirectoryInfo> results = new("results") { Description = "A results folder" };
        Command chart = new("chart", "Draws a results folder's charts as SVG into it") { results };
        chart.SetAction(result => ChartCommand.Run(result.GetValue(results)!));

        RootCommand root = new("What the forms of the pipeline cost, measured") { run, bytes, cold, compare, chart };
        return root.Parse(args).InvokeAsync();
    }

    private static int RunSuites(IReadOnlyList<string> options)
    {
        // For the project that BenchmarkDotNet generates: it lacks the shared framework, which here brings the versions that MassTransit's
        // dependencies disagree about. MSBuild reads properties from the environment.
        Environment.SetEnvironmentVariable("NoWarn", "NU1605;NU1603");
        IEnumerable<BenchmarkDotNet.Reports.Summary> summaries = BenchmarkSwitcher.FromAssembly(typeof(BenchmarkCommand).Assembly).Run([.. options], new SuiteConfig());
        return summaries.Any(summary => summary.HasCriticalValidationErrors || summary.Reports.Any(report => !report.Success)) ? 1 : 0;
    }
}
