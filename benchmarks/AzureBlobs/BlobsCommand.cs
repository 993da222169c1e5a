using System.CommandLine;
using System.Globalization;
using System.Text;
using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Benchmarks.Aws.Put;
using Benchmarks.Reports;
using Harness.Pages;
using Quayside.Messaging.AzureBlobs;
using Quayside.Messaging.Sinks;

namespace Benchmarks.AzureBlobs;

/// <summary><c>blobs</c>: the sink AzureBlobs beside a loop over the same client.</summary>
internal static class BlobsCommand
{
    public const string ServerVerb = "blobs-server";

    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    /// <summary>Prints its port and serves.</summary>
    public static int RunServer()
    {
        using PutServer server = new(status: "201 Created");
        Console.Out.WriteLine(server.Port);
        Console.In.ReadToEnd();
        return 0;
    }

    public static Command Create()
    {
        Option<double> seconds = new("--seconds") { Description = "Seconds per turn, 0.1 to 60", DefaultValueFactory = _ => 2 };
        seconds.InRange(0.1, 60);
        Option<int> inFlight = new("--in-flight") { Description = "PUTs in flight, 1 to 256", DefaultValueFactory = _ => 16 };
        inFlight.InRange(1, 256);
        Option<int> turns = new("--turns") { Description = "Turns of each side, 1 to 1,000; medians are shown", DefaultValueFactory = _ => 9 };
        turns.InRange(1, 1_000);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for blobs.json" };
        Command command = new(
            "blobs",
            "Puts blobs of 1 KiB to a server in another process: the sink AzureBlobs alternating with a loop over the same client, "
                + "with the same condition (a minute)") { seconds, inFlight, turns, results };
        command.SetAction(
            (result, cancellationToken) => RunAsync(
                    TimeSpan.FromSeconds(result.GetValue(seconds)), result.GetValue(inFlight), result.GetValue(turns), result.GetValue(results),
                    cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(TimeSpan turn, int inFlight, int turns, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        using ChildProcess server = ChildProcess.Start(ServerVerb);
        string port = await server.ReadLineAsync(StartLimit, cancellationToken);
        string account = $"AccountName=orders;AccountKey={Convert.ToBase64String(new byte[64])};BlobEndpoint=http://127.0.0.1:{port}/orders";
        PutObjects objects = new();
        using BareClient bare = new(account, objects);
        using BlobSinkClient sink = new(account, objects);
        (string Name, PutLoad Load, List<PutRound> Rounds)[] sides = [
            ("BlobClient loop", new PutLoad(bare, objects.KeyTexts.Length, inFlight), []),
            ("Sink AzureBlobs", new PutLoad(sink, objects.KeyTexts.Length, inFlight), [])];

        // The first turns are for the compiler.
        int warmUp = Math.Max(3, turns / 3);
        for (int i = -warmUp; i < turns; i++)
        {
            foreach ((_, PutLoad load, List<PutRound> rounds) in sides)
            {
                PutRound round = await load.RunAsync(turn);
                if (i >= 0)
                {
                    rounds.Add(round);
                }
            }
        }

        double ratio = Medians.Of(sides[1].Rounds.Zip(sides[0].Rounds, (one, other) => one.CpuMicrosecondsAPut / other.CpuMicrosecondsAPut));
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# Blobs of {PutObjects.BodyLength:N0} B\n\n{MachineInfo.Current()}; {inFlight} in flight, {turns} turns of each side\n\n| | us of processor per "
                + $"PUT | B per PUT | PUT/s |\n|---|---:|---:|---:|\n");
        foreach ((string name, _, List<PutRound> rounds) in sides)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {name} | {Medians.Of(rounds.Select(round => round.CpuMicrosecondsAPut)):F1} | {Medians.Of(rounds.Select(round => round.BytesAPut)):N0} | "
                    + $"{Medians.Of(rounds.Select(round => round.PutsASecond)):N0} |\n");
        }

        text.Append(CultureInfo.InvariantCulture, $"\nProcessor time of the sink by the loop's, median of neighbouring turns: {ratio:F2}\n");
        Console.Out.Write(text);
        await ResultsFile.WriteAsync(
            results,
            "blobs",
            $"{inFlight} PUTs in flight, {turns} turns of each side",
            [.. sides.Select(
                (side, i) => new { Row = side.Name, CpuMicroseconds = Medians.Of(side.Rounds.Select(round => round.CpuMicrosecondsAPut)),
                    Bytes = Medians.Of(side.Rounds.Select(round => round.BytesAPut)), Ratio = i == 0 ? 1 : ratio,
                    CpuMicrosecondsOfRounds = side.Rounds.Select(round => round.CpuMicrosecondsAPut) })],
            cancellationToken);
        return 0;
    }

    /// <summary>What the client's documentation shows, with the condition.</summary>
    private sealed class BareClient(string account, PutObjects objects) : IPutClient
    {
        private readonly BlobContainerClient _container = new(account, PutObjects.Bucket);

        public async ValueTask PutAsync(int key)
        {
            BlobUploadOptions options = new()
            { Conditions = new BlobRequestConditions { IfNoneMatch = ETag.All }, HttpHeaders = new BlobHttpHeaders { ContentType = "application/json" } };
            Response<BlobContentInfo> answer = await _container.GetBlobClient(objects.KeyTexts[key]).UploadAsync(new BinaryData(objects.Body), options);
            PutFailure.ThrowUnless(answer.Value.ETag != default, "no ETag");
        }

        public void Dispose()
        {
        }
    }

    private sealed class BlobSinkClient(string account, PutObjects objects) : IPutClient
    {
        private readonly BlobSink _sink = new(
            new BlobSinkOptions { ConnectionString = account, Container = PutObjects.Bucket },
            new SinkServices { Services = null! });

        public async ValueTask PutAsync(int key)
        {
            SinkResult result = await _sink.StoreAsync(objects.KeyBytes[key], objects.Body, CancellationToken.None);
            PutFailure.ThrowUnless(result.Status == SinkStatus.Stored, result.Detail);
        }

        public void Dispose()
        {
            ValueTask disposed = _sink.DisposeAsync();
            disposed.AsTask().GetAwaiter().GetResult();
        }
    }
}
