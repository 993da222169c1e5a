using System.CommandLine;
using System.Globalization;
using System.Text;
using Harness.Pages;

namespace Benchmarks.Native;

/// <summary><c>native</c>: the native daemon beside the JIT one, from SQS to S3.</summary>
internal static class NativeCommand
{
    public static Command Create()
    {
        Option<FileInfo> native = new("--native") { Description = "The native worker", DefaultValueFactory = _ => new FileInfo("src/Worker/bin/native/Worker") };
        Option<int> launches = new("--launches") { Description = "Starts of each build; the median is shown", DefaultValueFactory = _ => 11 };
        launches.InRange(1, 1_000);
        Option<int> messages = new("--messages") { Description = "Messages per pass", DefaultValueFactory = _ => 30_000 };
        messages.InRange(1, 1_000_000);
        Option<int> passes = new("--passes") { Description = "Passes of each build, in turns; the median is shown", DefaultValueFactory = _ => 7 };
        passes.InRange(1, 100);
        Option<double?> maxStart = new("--max-start-ratio") { Description = "Exits with 1 when a native start takes more than this part of a JIT one" };
        maxStart.InRange(0, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for native.md" };
        Command command = new("native", "Measures the native worker in turns with the JIT one: from a start to the first stored message, processor time, memory, size (two minutes)") { native, launches, messages, passes, maxStart, results };
        command.SetAction((result, cancellationToken) => RunAsync(
            WorkerBuild.Native(result.GetValue(native)!), result.GetValue(launches), result.GetValue(messages), result.GetValue(passes), result.GetValue(maxStart), result.GetValue(results), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(WorkerBuild native, int launches, int messages, int passes, double? maxStart, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        using NativeRun run = await NativeRun.StartAsync([WorkerBuild.Jit(), native], cancellationToken);
        double[] start = await run.MeasureStartsAsync(launches, cancellationToken);
        (double[] processor, double[] resident) = await run.MeasurePassesAsync(messages, passes, cancellationToken);

        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"# The native worker beside the JIT one\n\n{MachineInfo.Current()}; from SQS to S3 over loopback, direct client, medians of {launches} starts, then of {passes} passes of {messages:N0} messages, in turns\n\n");
        text.Append("| | JIT | native | native / JIT |\n|---|---:|---:|---:|\n");
        Append(text, "start to first stored message, ms", "F0", start);
        Append(text, "processor time per message, us", "F1", processor);
        Append(text, "resident memory after the passes, MiB", "F0", resident);
        Append(text, "size with its runtime, MB", "F1", [.. run.Builds.Select(build => build.Bytes / 1e6)]);
        Console.Out.Write(text);
        if (results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "native.md"), text.ToString(), cancellationToken);
        }

        return maxStart is null || start[1] <= start[0] * maxStart ? 0 : 1;
    }

    private static void Append(StringBuilder text, string name, string format, double[] values) =>
        text.Append(CultureInfo.InvariantCulture, $"| {name} | {values[0].ToString(format, CultureInfo.InvariantCulture)} | {values[1].ToString(format, CultureInfo.InvariantCulture)} | {values[1] / values[0]:F2} |\n");
}
