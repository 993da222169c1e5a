using System.Globalization;
using System.Text.Json;

namespace Benchmarks.Aws.Put;

/// <summary>The processes that the command starts: the server, and one per client. Each ends when its input ends, so none outlives the command.</summary>
internal static class PutChildren
{
    public const string Server = "put-server";
    public const string Client = "put-client";

    private const int MinWarmUpRounds = 4;
    private const int MaxWarmUpRounds = 12;
    private const int MeasuredRounds = 3;

    // Tier 1 takes a method after 30 calls and 100 ms of rest; PGO's instrumented tier comes between. Some SDK paths run once per PUT.
    private const int MinWarmUpPuts = 10_000;

    /// <summary>Prints its port and serves.</summary>
    public static int RunServer()
    {
        using PutServer server = new();
        Console.Out.WriteLine(server.Port);
        Console.In.ReadToEnd();
        return 0;
    }

    /// <param name="args">put-client, kind, port, seconds per round, PUTs in flight.</param>
    public static async Task<int> RunClientAsync(string[] args)
    {
        PutClientKind kind = Enum.Parse<PutClientKind>(args[1]);
        Uri server = new($"http://127.0.0.1:{args[2]}");
        TimeSpan round = TimeSpan.FromSeconds(double.Parse(args[3], CultureInfo.InvariantCulture));
        int inFlight = int.Parse(args[4], CultureInfo.InvariantCulture);
        EndWithInput();
        PutObjects objects = new();
        using IPutClient client = PutClients.Create(kind, server, objects, inFlight);
        PutLoad load = new(client, objects.KeyTexts.Length, inFlight);

        (int warmUpRounds, bool settled, long puts) = await WarmUpAsync(load, round);
        List<PutRound> rounds = [];
        for (int i = 0; i < MeasuredRounds; i++)
        {
            rounds.Add(await load.RunAsync(round));
        }

        Console.Out.WriteLine(JsonSerializer.Serialize(new PutClientReport(warmUpRounds, settled, puts + rounds.Sum(one => one.Puts), rounds)));
        return 0;
    }

    private static async Task<(int Rounds, bool Settled, long Puts)> WarmUpAsync(PutLoad load, TimeSpan round)
    {
        long puts = 0;
        PutRound? last = null;
        for (int rounds = 1; rounds <= MaxWarmUpRounds; rounds++)
        {
            PutRound current = await load.RunAsync(round);
            puts += current.Puts;
            if (last is not null && rounds >= MinWarmUpRounds && puts >= MinWarmUpPuts && current.Agrees(last))
            {
                return (rounds, true, puts);
            }

            last = current;
        }

        return (MaxWarmUpRounds, false, puts);
    }

    private static void EndWithInput()
    {
        Thread thread = new(() =>
        {
            Console.In.ReadToEnd();
            Environment.Exit(1);
        })
        {
            IsBackground = true,
        };
        thread.Start();
    }
}
