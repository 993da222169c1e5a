using System.CommandLine;
using System.Globalization;
using System.Text;
using Benchmarks.Reports;
using Harness.Pages;

namespace Benchmarks.Native;

/// <summary><c>native</c>: the native daemon beside the JIT one, from SQS to S3.</summary>
internal static class NativeCommand
{
    public static Command Create()
    {
        Option<FileInfo> native =
            new("--native") { Description = "The native worker", DefaultValueFactory = _ => new FileInfo("src/Worker/bin/native/Worker") };
        Option<int> launches = new("--launches") { Description = "Starts of each build; the median is shown", DefaultValueFactory = _ => 11 };
        launches.InRange(1, 1_000);
        Option<int> messages = new("--messages") { Description = "Messages per pass", DefaultValueFactory = _ => 30_000 };
        messages.InRange(1, 1_000_000);
        Option<int> passes = new("--passes") { Description = "Passes of each build, in turns; the median is shown", DefaultValueFactory = _ => 7 };
        passes.InRange(1, 100);
        Option<double?> maxStart = new("--max-start-ratio") { Description = "Exits with 1 when a native start takes more than this part of a JIT one" };
        maxStart.InRange(0, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for native.md and .json" };
        Command command = new(
            "native",
            "Measures the native worker in turns with the JIT one: from a start to the first stored message, processor time, memory, size (two minutes)")
            { native, launches, messages, passes, maxStart, results };
        command.SetAction((result, cancellationToken) => RunAsync(
            WorkerBuild.Native(result.GetValue(native)!), result.GetValue(launches), result.GetValue(messages), result.GetValue(passes),
            result.GetValue(maxStart), result.GetValue(results), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        WorkerBuild native, int launches, int messages, int passes, double? maxStart, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        using NativeRun run = await NativeRun.StartAsync([WorkerBuild.Jit(), native], cancellationToken);
        double[] start = await run.MeasureStartsAsync(launches, cancellationToken);
        ProcessMemory[] small = await run.MeasureSmallLoadAsync(cancellationToken);
        (double[] processor, double[] resident) = await run.MeasurePassesAsync(messages, passes, cancellationToken);

        NativeRow[] rows =
        [
            new("start to first stored message, ms", start[0], start[1]),
            new("processor time per message, us", processor[0], processor[1]),
            new("most resident memory with a small load, MiB", small[0].PeakMiB, small[1].PeakMiB),
            new("resident memory at rest after it, MiB", small[0].ResidentMiB, small[1].ResidentMiB),
            new("of it pages of the program and its libraries, MiB", small[0].FileMiB, small[1].FileMiB),
            new("resident memory after the passes, MiB", resident[0], resident[1]),
            new("size with its runtime, MB", run.Builds[0].Bytes / 1e6, run.Builds[1].Bytes / 1e6),
        ];
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# The native worker beside the JIT one\n\n{MachineInfo.Current()}; from SQS to S3 over loopback, direct client, medians of {launches} starts, "
                + $"then of {passes} passes of {messages:N0} messages, in turns\n\n");
        text.Append("| | JIT | native | native / JIT |\n|---|---:|---:|---:|\n");
        foreach (NativeRow row in rows)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {row.Figure} | {row.Jit:F1} | {row.Native:F1} | {row.Native / row.Jit:F2} |\n");
        }

        Console.Out.Write(text);
        if (results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "native.md"), text.ToString(), cancellationToken);
        }

        await ResultsFile.WriteAsync(
            results, "native", $"medians of {launches} starts, then of {passes} passes of {messages} messages, in turns", rows, cancellationToken);

        return maxStart is null || start[1] <= start[0] * maxStart ? 0 : 1;
    }
}
