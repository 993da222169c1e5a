using System.Diagnostics;
using System.Globalization;
using Benchmarks.Keys;

namespace Lab.Alternatives;

/// <summary>A process with one runner: for each line with a number of messages it runs a round and prints its cost.</summary>
internal static class RunnerProcess
{
    /// <summary>Its first argument; the runner and the work follow.</summary>
    public const string Verb = "alternative-child";

    /// <summary>Messages in flight at most.</summary>
    public const int InFlight = 64;

    /// <summary>Messages that wait at most; the default of Sources:Channel:Capacity.</summary>
    public const int Capacity = 1_000;

    public static async Task<int> RunAsync(string kind, string work)
    {
        await using IRunner runner = await CreateAsync(Enum.Parse<RunnerKind>(kind), Enum.Parse<WorkKind>(work));
        byte[] body = KeyInput.Bytes();
        while (await Console.In.ReadLineAsync() is { } line)
        {
            int messages = int.Parse(line, CultureInfo.InvariantCulture);
            GC.Collect();
            long bytes = GC.GetTotalAllocatedBytes(precise: true);
            TimeSpan processor = Environment.CpuUsage.TotalTime;
            long started = Stopwatch.GetTimestamp();
            await runner.RunAsync(body, messages);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(started);
            Console.Out.WriteLine(new RunnerRound(
                (Environment.CpuUsage.TotalTime - processor).TotalNanoseconds / messages,
                (double)(GC.GetTotalAllocatedBytes(precise: true) - bytes) / messages,
                messages / elapsed.TotalSeconds));
        }

        return 0;
    }

    private static async Task<IRunner> CreateAsync(RunnerKind kind, WorkKind work) => kind switch
    {
        RunnerKind.Worker => await WorkerRunner.StartAsync(work),
        RunnerKind.TwoLoops => new LoopsRunner(work, 2),
        RunnerKind.Loops => new LoopsRunner(work, InFlight),
        RunnerKind.ActionBlock => new BlockRunner(work),
        RunnerKind.ForEachAsync => new ForEachRunner(work),
        RunnerKind.Wolverine => await WolverineRunner.StartAsync(work),
        RunnerKind.Rebus => new RebusRunner(work),
        _ => new MassTransitRunner(work),
    };
}
