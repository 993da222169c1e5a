using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Benchmarks;
using Harness.Pages;

namespace Lab.Alternatives;

/// <summary><c>alternatives</c>: the worker beside what a developer would use instead, from a publisher to a handler in the same process.</summary>
internal static class AlternativesCommand
{
    // A round of a runner that hangs.
    private static readonly TimeSpan RoundLimit = TimeSpan.FromMinutes(2);

    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true, Converters = { new JsonStringEnumConverter() } };

    public static Command Create()
    {
        Option<WorkKind[]> works = new("--work")
        {
            Description = "The handler's work, separated by spaces",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => Enum.GetValues<WorkKind>()
        };
        Option<RunnerKind[]> runners = new("--runners")
        { Description = "Runners, separated by spaces", AllowMultipleArgumentsPerToken = true, DefaultValueFactory = _ => Enum.GetValues<RunnerKind>() };
        Option<int> messages = new("--messages") { Description = "Messages per round", DefaultValueFactory = _ => 200_000 };
        messages.InRange(1_000, 10_000_000);
        Option<int> rounds = new("--rounds") { Description = "Measured rounds per process; the median is shown", DefaultValueFactory = _ => 7 };
        rounds.InRange(1, 100);
        Option<FileInfo?> frozen = new("--frozen") { Description = "Benchmarks.dll of an earlier commit, whose worker becomes a row (lab/frozen builds one)" };
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for alternatives.md, .json and .svg" };
        Command command = new(
            "alternatives",
            "Measures a publisher and a handler in one process: the worker beside loops over a channel, ActionBlock, Parallel.ForEachAsync, "
                + "MassTransit, Wolverine and Rebus (5 minutes)") { works, runners, messages, rounds, frozen, results };
        command.SetAction((result, cancellationToken) => RunAsync(
            result.GetValue(works)!,
            result.GetValue(runners)!,
            result.GetValue(messages),
            result.GetValue(rounds),
            result.GetValue(frozen),
            result.GetValue(results),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        WorkKind[] works, RunnerKind[] runners, int messages, int rounds, FileInfo? frozen, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        if (frozen is { Exists: false })
        {
            throw new InvalidOperationException($"{frozen.FullName} does not exist; lab/frozen builds it.");
        }

        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        List<AlternativeRow> rows = [];
        foreach (WorkKind work in works)
        {
            rows.AddRange(await MeasureAsync(work, runners, messages, rounds, frozen, cancellationToken));
        }

        string machine = $"{MachineInfo.Current()}, {TimeProvider.System.GetUtcNow():yyyy-MM-dd}; workstation GC, not concurrent";
        string report = AlternativesReport.Write(machine, messages, rounds, rows);
        Console.Out.WriteLine(report);
        if (results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "alternatives.md"), report, cancellationToken);
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "alternatives.svg"), AlternativesReport.Draw(machine, rows), cancellationToken);
            await File.WriteAllTextAsync(
                Path.Combine(results.FullName, "alternatives.json"), JsonSerializer.Serialize(new { machine, rows }, Indented) + "\n", cancellationToken);
        }

        return 0;
    }

    /// <summary>All runners of a kind of work take turns, so that any disturbance of the machine affects them alike.</summary>
    private static async Task<IReadOnlyList<AlternativeRow>> MeasureAsync(
        WorkKind work, RunnerKind[] runners, int messages, int rounds, FileInfo? frozen, CancellationToken cancellationToken)
    {
        List<(string Name, ChildProcess Process, List<RunnerRound> Rounds)> children = [];
        try
        {
            if (frozen is not null)
            {
                children.Add((AlternativeRow.Frozen, ChildProcess.StartOther(frozen, ArgumentsOf(RunnerKind.Worker, work), Environment), []));
            }

            children.AddRange(
                runners.Select(
                    runner => (
                        runner.ToString(), ChildProcess.Start(typeof(AlternativesCommand).Assembly, ArgumentsOf(runner, work), Environment),
                        new List<RunnerRound>())));

            // As many rounds of warm-up: the JIT's last tier must be reached before the first measured one.
            for (int round = -rounds; round < rounds; round++)
            {
                foreach ((_, ChildProcess process, List<RunnerRound> measured) in children)
                {
                    RunnerRound one =
                        RunnerRound.Parse(await process.SendAsync(messages.ToString(CultureInfo.InvariantCulture), RoundLimit, cancellationToken));
                    if (round >= 0)
                    {
                        measured.Add(one);
                    }
                }
            }

            return [.. children.Select(child => RowOf(work, child.Name, child.Process.Memory.PeakMiB, child.Rounds))];
        }
        finally
        {
            foreach ((_, ChildProcess process, _) in children)
            {
                process.Dispose();
            }
        }
    }

    private static AlternativeRow RowOf(WorkKind work, string name, double peakMiB, List<RunnerRound> rounds)
    {
        RunnerRound median = rounds.OrderBy(round => round.Nanoseconds).ElementAt(rounds.Count / 2);
        return new AlternativeRow(work, name, median.Nanoseconds, median.Bytes, median.PerSecond, peakMiB, [.. rounds.Select(round => round.Nanoseconds)]);
    }

    private static string[] ArgumentsOf(RunnerKind runner, WorkKind work) => [RunnerProcess.Verb, runner.ToString(), work.ToString()];

    // The settings of the worker's runtimeconfig.json, for all runners alike.
    private static (string Name, string Value)[] Environment => [("DOTNET_gcConcurrent", "0"), ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0")];
}
