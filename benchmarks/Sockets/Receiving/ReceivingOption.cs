using System.CommandLine;

namespace Benchmarks.Sockets.Receiving;

/// <summary>The command line of receiving benchmarks.</summary>
internal static class ReceivingOption
{
    /// <summary>The command of a benchmark.</summary>
    public static Command Create(string name, string description, ReceivingCase what)
    {
        Option<double> seconds = new("--seconds") { Description = "Seconds per round, 0.1 to 60", DefaultValueFactory = _ => 2 };
        seconds.InRange(0.1, 60);
        Option<int> rounds = new("--rounds") { Description = "Rounds per process, 1 to 20", DefaultValueFactory = _ => 3 };
        rounds.InRange(1, 20);
        Option<int> passes = new("--passes") { Description = "Runs of each receiver, 1 to 20", DefaultValueFactory = _ => 3 };
        passes.InRange(1, 20);
        Option<string[]> only = new("--only")
        {
            Description = $"Receivers to run in addition to the baselines: {string.Join(", ", what.Receivers)}; default all",
            AllowMultipleArgumentsPerToken = true
        };
        only.AcceptOnlyFromAmong([.. what.Receivers]);
        Option<DirectoryInfo?> results = new("--results") { Description = $"Folder for {what.File}.md and {what.File}.json" };
        Command command = new(name, description) { seconds, rounds, passes, only, results };
        command.SetAction((result, cancellationToken) => ReceivingRun.RunAsync(
            Limit(what, result.GetValue(only)),
            new ReceivingOptions(result.GetValue(seconds), result.GetValue(rounds), result.GetValue(passes), result.GetValue(results)),
            cancellationToken));
        return command;
    }

    private static ReceivingCase Limit(ReceivingCase what, string[]? only) => only is null or { Length: 0 }
        ? what
        : what with { Receivers = [.. what.Receivers.Where(receiver => only.Contains(receiver) || what.Baselines.Contains(receiver))] };
}
