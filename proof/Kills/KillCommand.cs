using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Proof.Kills;

/// <summary><c>kill</c>: kills whole workers at random instants, over real networks.</summary>
internal static class KillCommand
{
    private static readonly Option<int> Kills = new("--kills") { Description = "Number of kills", DefaultValueFactory = _ => 50 };
    private static readonly Option<int> Seed = new("--seed") { Description = "The first round's seed: decides source, store, messages and delays", DefaultValueFactory = _ => 1 };
    private static readonly Option<int> PerRound = new("--per-round") { Description = "Kills before a round is checked", DefaultValueFactory = _ => 10 };
    private static readonly Option<int> Lanes = new("--lanes") { Description = "Rounds that run in parallel", DefaultValueFactory = _ => Environment.ProcessorCount };

    public static Command Create()
    {
        Command command = new("kill", "Kills workers (SIGKILL) while they receive over SQS, HTTP and TCP, then checks each message; ends with 'N kills, M failures'. Needs Node, `npm ci` in tests/servers/fauxqs, and for S3 the variables S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY")
        {
            Kills, Seed, PerRound, Lanes, ResultLog.Record,
        };
        command.SetAction((result, _) => RunAsync(result.GetValue(Kills), result.GetValue(Seed), result.GetValue(PerRound), result.GetValue(Lanes), result.GetValue(ResultLog.Record)));
        return command;
    }

    private static async Task<int> RunAsync(int kills, int seed, int perRound, int lanes, string? record)
    {
        Stopwatch watch = Stopwatch.StartNew();
        using Process fauxqs = Process.Start(new ProcessStartInfo("node", [Path.Combine("tests", "servers", "fauxqs", "serve.mjs")]) { UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true })!;
        string? listening = await fauxqs.StandardOutput.ReadLineAsync();
        if (listening is null)
        {
            Console.Error.WriteLine("error: fauxqs did not start: run `npm ci` in tests/servers/fauxqs, and this command in the repository's root.");
            return 1;
        }

        Uri sqs = new(listening[listening.IndexOf("http", StringComparison.Ordinal)..]);
        Queue<KillRound> rounds = new(Enumerable.Range(0, (kills + perRound - 1) / perRound).Select(round => new KillRound(seed + round, Math.Min(perRound, kills - (round * perRound)), sqs)));
        int failures = 0;
        int midStream = 0;
        long messages = 0;
        await Task.WhenAll(Enumerable.Range(0, lanes).Select(async _ =>
        {
            while (rounds.TryDequeue(out KillRound? round))
            {
                await round.RunAsync();
                failures += round.Failures.Count;
                midStream += round.MidStream;
                messages += round.Messages;
                Console.WriteLine($"{round}{string.Concat(round.Failures.Take(20).Select(failure => $"\n  {failure}"))}");
            }
        }));
        fauxqs.StandardInput.Close();
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{messages} messages, {midStream} kills while receiving, {watch.Elapsed.TotalSeconds:0} s"));
        ResultLog.Append(record, "kill", $"{seed}-{seed + ((kills + perRound - 1) / perRound) - 1}", kills, failures);
        Console.WriteLine($"{kills} kills, {failures} failures");
        return failures == 0 ? 0 : 1;
    }
}
