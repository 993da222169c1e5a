using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Proof.Kills;

/// <summary><c>kill</c>: kills whole workers at random instants, over real networks.</summary>
internal static class KillCommand
{
    private static readonly Option<int> Kills = Options.Number("--kills", "Number of kills", 50);
    private static readonly Option<int> Seed = Options.Number("--seed", "The first round's seed: decides source, store, messages and delays", 1);
    private static readonly Option<int> PerRound = Options.Number("--per-round", "Kills before a round is checked", 10);
    private static readonly Option<KillSource> Source = Options.Names<KillSource>("--source", "The source of every round");
    private static readonly Option<KillStore> Store = Options.Names<KillStore>("--store", "The store of every round");
    private static readonly Option<int> Lanes = Options.Number("--lanes", "Rounds that run in parallel", Environment.ProcessorCount);

    public static Command Create()
    {
        Command command = new(
            "kill",
            "Kills workers (SIGKILL) while they receive over SQS, Service Bus, RabbitMQ, HTTP and TCP, then checks each message; ends with 'N kills, M "
                + "failures'. Needs Node, `npm ci` in tests/servers/fauxqs, tests/servers/servicebus and tests/servers/azurite; for RabbitMQ Debian's "
                + "rabbitmq-server, and for S3 the variables S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY")
        {
            Kills, Seed, PerRound, Source, Store, Lanes, ResultLog.Record,
        };
        command.SetAction(
            (result, stop) => RunAsync(
                    result.GetValue(Kills), result.GetValue(Seed), result.GetValue(PerRound), result.GetValue(Source), result.GetValue(Store),
                    result.GetValue(Lanes), result.GetValue(ResultLog.Record), stop));
        return command;
    }

    private static async Task<int> RunAsync(
        int kills, int seed, int perRound, KillSource source, KillStore store, int lanes, string? record, CancellationToken stop)
    {
        Stopwatch watch = Stopwatch.StartNew();
        if (await S3Store.FindProblemAsync() is { } problem
            || (problem = store == KillStore.S3 && S3Store.Endpoint is null ? "--store S3 needs S3_ENDPOINT." : null) is not null)
        {
            Console.Error.WriteLine($"error: {problem}");
            return 1;
        }

        using Emulator? fauxqs = await Emulator.StartAsync("fauxqs", stop);
        using Emulator? serviceBus = await Emulator.StartAsync("servicebus", stop);
        using Emulator? azurite = await Emulator.StartAsync("azurite", stop);
        if (fauxqs is null || serviceBus is null || azurite is null)
        {
            string name = fauxqs is null ? "fauxqs" : serviceBus is null ? "servicebus" : "azurite";
            Console.Error.WriteLine(
                $"error: the emulator {name} did not start: install Node, run `npm ci` in tests/servers/{name}, and this command in the repository's root.");
            return 1;
        }

        Console.WriteLine(
            $"Stores: folders, Azurite{(S3Store.Endpoint is { } endpoint ? $", and S3 at {endpoint}" : "; none in S3, since S3_ENDPOINT is not set")}");
        Uri sqs = new(fauxqs.Ready[fauxqs.Ready.IndexOf("http", StringComparison.Ordinal)..]);
        if (source == KillSource.RabbitMq && !RabbitMqSender.IsInstalled)
        {
            Console.Error.WriteLine("error: rabbitmq-server is not installed: apt-get install -y --no-install-recommends rabbitmq-server");
            return 1;
        }

        int count = (int)(((long)kills + perRound - 1) / perRound);
        Queue<KillRound> rounds = new(
            Enumerable
                .Range(0, count)
                .Select(
                    round => new KillRound(seed + round, Math.Min(perRound, kills - (round * perRound)), source, store, sqs, serviceBus.Ready, azurite.Ready)));
        int done = 0;
        int failures = 0;
        int midStream = 0;
        long messages = 0;
        await Task.WhenAll(Enumerable.Range(0, Math.Min(lanes, count)).Select(async _ =>
        {
            while (!stop.IsCancellationRequested && rounds.TryDequeue(out KillRound? round))
            {
                if (!await round.TryRunAsync(stop))
                {
                    return;
                }

                done += round.Kills;
                failures += round.Failures.Count;
                midStream += round.MidStream;
                messages += round.Messages;
                Console.WriteLine($"{round}{string.Concat(round.Failures.Take(20).Select(failure => $"\n  {failure}"))}");
            }
        }));
        Console.WriteLine($"{await azurite.StopAsync()}: duplicates, which their workers compared and completed");
        Console.WriteLine(
            string.Create(CultureInfo.InvariantCulture, $"{messages} messages, {midStream} kills while receiving, {watch.Elapsed.TotalSeconds:0} s"));
        if (stop.IsCancellationRequested)
        {
            Console.WriteLine($"stopped: {done} of {kills} kills, {failures} failures");
            return 130;
        }

        ResultLog.Append(record, "kill", $"{seed}-{seed + count - 1}", kills, failures);
        Console.WriteLine($"{kills} kills, {failures} failures");
        return failures == 0 ? 0 : 1;
    }
}
