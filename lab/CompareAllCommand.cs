using System.CommandLine;
using System.Diagnostics;
using System.Reflection;
using Benchmarks;
using Benchmarks.Compare;
using Lab.Charts;
using Lab.Pages;

namespace Lab;

/// <summary><c>compare-all</c>: measures everything that the README and the performance page show into one folder, and writes their figures from it.</summary>
internal static class CompareAllCommand
{
    private const string TwoClients = "--clients WorkerDirect PlainSigned";
    private const string Loops = "--clients SdkDefaults SdkTuned PlainSigned WorkerSdk WorkerDirect";

    /// <summary>
    /// The comparisons: the program, its arguments, and those of --quick, which is null where there is no short form. {0} is the folder, {1} the native worker.
    /// </summary>
    public static readonly (Assembly Program, string Full, string? Quick)[] Steps =
    [
        (Benchmarks, "end-to-end --no-sizes --in-flight 64 --passes 7 --results {0}",
            "end-to-end --no-sizes --in-flight 64 --messages 2000 --warm-up 1000 --passes 3 --results {0}"),
        (Benchmarks, $"end-to-end --messages 10000 --sizes 1000 10000 100000 {Loops} --results {{0}}/sweep",
            $"end-to-end --messages 500 --warm-up 200 --passes 1 --sizes 1000 10000 100000 {Loops} --results {{0}}/sweep"),
        (Benchmarks, $"end-to-end --no-sizes --in-flight 0 64 256 --messages 60000 --passes 5 {TwoClients} --results {{0}}/in-flight",
            $"end-to-end --no-sizes --in-flight 0 64 256 --messages 2000 --warm-up 1000 --passes 1 {TwoClients} --results {{0}}/in-flight"),
        (Benchmarks, $"end-to-end --no-sizes --in-flight 0 64 --messages 60000 --put-latency-ms 20 {TwoClients} --results {{0}}/in-flight",
            $"end-to-end --no-sizes --in-flight 0 64 --messages 2000 --warm-up 1000 --passes 1 --put-latency-ms 20 {TwoClients} --results {{0}}/in-flight"),
        (Benchmarks, "end-to-end --no-sizes --in-flight 64 --messages 20000 --passes 7 --clients WorkerDirect WorkerSns WorkerGzip --results {0}/envelopes",
            "end-to-end --no-sizes --in-flight 64 --messages 2000 --warm-up 1000 --passes 3 --clients WorkerDirect WorkerSns WorkerGzip --results "
                + "{0}/envelopes"),
        (Benchmarks, "end-to-end --no-sizes --in-flight 10000 --bundle 500 --messages 400000 --warm-up 20000 --clients WorkerDirect --results {0}",
            "end-to-end --no-sizes --in-flight 10000 --bundle 500 --messages 20000 --warm-up 10000 --passes 1 --clients WorkerDirect --results {0}"),
        (Benchmarks, "put --results {0}", "put --seconds 0.2 --passes 1 --results {0}"),
        (Benchmarks, "keys --results {0}", "keys --launches 1 --turns 50 --results {0}"),
        (Benchmarks, "throws --results {0}", "throws --launches 1 --turns 50 --results {0}"),
        (Benchmarks, "typed --turns 200 --results {0}", "typed --launches 1 --turns 20 --results {0}"),
        (Benchmarks, "http --results {0}", "http --messages 2000 --rounds 3 --results {0}"),
        (Benchmarks, "folder --results {0}", "folder --objects 200 --rounds 2 --results {0}"),
        (Benchmarks, "udp --results {0}", "udp --passes 1 --rounds 1 --seconds 0.2 --results {0}"),
        (Benchmarks, "tcp-lines --results {0}", "tcp-lines --passes 1 --rounds 1 --seconds 0.2 --results {0}"),
        (Benchmarks, "native --native {1} --results {0}", "native --native {1} --launches 2 --messages 1000 --passes 2 --results {0}"),
        (Benchmarks, "cold --results {0}", "cold --launches 1 --results {0}"),
        (Lab, "alternatives --results {0}", "alternatives --messages 2000 --rounds 3 --results {0}"),
        (Benchmarks, "run --filter * --artifacts {0}", null),
        (Lab, "run --filter * --artifacts {0}", null),
    ];

    private static Assembly Benchmarks => typeof(BenchmarkCommand).Assembly;

    private static Assembly Lab => typeof(CompareAllCommand).Assembly;

    public static Command Create()
    {
        Option<DirectoryInfo> results =
            new("--results") { Description = "Folder for the results, such as benchmarks/results/2026-11-27-epyc-2-cores", Required = true };
        Option<FileInfo> native =
            new("--native") { Description = "The native worker", DefaultValueFactory = _ => new FileInfo("src/Worker/bin/native/Worker") };
        Option<bool> quick =
            new("--quick") { Description = "Minutes instead of hours, to try the command: figures of too few messages, and none of BenchmarkDotNet's suites" };
        Option<DirectoryInfo> repository = new("--repository")
        {
            Description = "The folder with README.md and docs/evidence/performance.md; a copy of them to try the command",
            DefaultValueFactory = _ => new DirectoryInfo(".")
        };
        Command command = new(
            "compare-all",
            "Measures everything that the README and the performance page show, one comparison after the other, "
                + "and writes their figures and charts (two hours; on a quiet machine)") { results, native, quick, repository };
        command.SetAction(
            (result, cancellationToken) => RunAsync(
                    result.GetValue(results)!, result.GetValue(native)!, result.GetValue(quick), result.GetValue(repository)!, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(DirectoryInfo results, FileInfo native, bool isQuick, DirectoryInfo repository, CancellationToken cancellationToken)
    {
        // Before hours of measuring.
        results.Create();
        if (!native.Exists)
        {
            throw new InvalidOperationException(
                $"{native.FullName} does not exist. Make it with: dotnet publish src/Worker -c Release -p:Native=true -o src/Worker/bin/native");
        }

        foreach ((Assembly program, string full, string? quick) in Steps)
        {
            if ((isQuick ? quick : full) is { } arguments)
            {
                string[] words = [
                    .. arguments
                        .Split(' ')
                        .Select(
                            word => word.Replace("{0}", results.FullName, StringComparison.Ordinal).Replace("{1}", native.FullName, StringComparison.Ordinal))];
                await Console.Error.WriteLineAsync($"{program.GetName().Name} {string.Join(' ', words)}");
                await RunStepAsync(program, words, cancellationToken);
            }
        }

        try
        {
            if (ResultsFolder.HasReports(results))
            {
                ChartCommand.Run([results]);
            }

            MeasuredPages.Write(repository, [results], Console.Out);
            return 0;
        }
        catch (ResultsException exception)
        {
            await Console.Error.WriteLineAsync($"error: {exception.Message}");
            return 2;
        }
    }

    /// <exception cref="InvalidOperationException">It failed; its errors are in this process's output.</exception>
    private static async Task RunStepAsync(Assembly program, string[] arguments, CancellationToken cancellationToken)
    {
        using Process process = Process.Start(
            new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [program.Location, .. arguments])
            { UseShellExecute = false })!;
        try
        {
            await process.WaitForExitAsync(cancellationToken);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }

        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException(
                $"{program.GetName().Name} {string.Join(' ', arguments)} ended with exit code {process.ExitCode}; "
                    + "its errors are above. The pages are unchanged.");
        }
    }
}
