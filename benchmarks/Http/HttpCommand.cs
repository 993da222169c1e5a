using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.Keys;
using Benchmarks.Reports;
using Harness.Pages;

namespace Benchmarks.Http;

/// <summary><c>http</c>: the worker's HTTP source beside a bare Kestrel endpoint.</summary>
internal static class HttpCommand
{
    private const int WarmUps = 3;

    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(60);

    // The settings of the worker's runtimeconfig.json, for both alike.
    private static readonly (string Name, string Value)[] Environment = [("DOTNET_gcConcurrent", "0"), ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0")];

    public static Command Create()
    {
        Option<int> connections =
            new("--connections") { Description = "Connections that are kept open, each with one message at a time", DefaultValueFactory = _ => 32 };
        connections.InRange(1, 1_000);
        Option<int> messages = new("--messages") { Description = "Messages per round", DefaultValueFactory = _ => 100_000 };
        messages.InRange(100, 10_000_000);
        Option<int> rounds = new("--rounds") { Description = "Rounds per row, in turns; the median is shown", DefaultValueFactory = _ => 7 };
        rounds.InRange(1, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for http.json" };
        Command command = new(
            "http",
            "Posts single messages to the worker, whose sink keeps nothing, and to a bare Kestrel endpoint that reads the body and answers 200 (two minutes)")
            { connections, messages, rounds, results };
        command.SetAction(
            (result, cancellationToken) => RunAsync(
                    result.GetValue(connections), result.GetValue(messages), result.GetValue(rounds), result.GetValue(results), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(int connections, int messages, int rounds, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        Dictionary<HttpServerKind, (ChildProcess Server, HttpLoad Load)> rows = [];
        Dictionary<HttpServerKind, List<(double Microseconds, double Bytes, double PerSecond)>> measured = [];
        Dictionary<HttpServerKind, double> peaks = [];
        try
        {
            foreach (HttpServerKind kind in Enum.GetValues<HttpServerKind>())
            {
                int port = FreePort();
                ChildProcess server = ChildProcess.Start([HttpServerProcess.Verb, kind.ToString(), port.ToString(CultureInfo.InvariantCulture)], Environment);
                await server.ReadLineAsync(AnswerLimit, cancellationToken);
                rows[kind] = (server, await HttpLoad.ConnectAsync(port, connections, KeyInput.Bytes()));
                measured[kind] = [];
            }

            for (int round = -WarmUps; round < rounds; round++)
            {
                foreach ((HttpServerKind kind, (ChildProcess server, HttpLoad load)) in rows)
                {
                    ClientSample before = await SampleAsync(server, cancellationToken);
                    long started = Stopwatch.GetTimestamp();
                    await load.SendAsync(messages);
                    double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
                    ClientSample used = (await SampleAsync(server, cancellationToken)).Since(before);
                    if (round >= 0)
                    {
                        measured[kind].Add((used.CpuSeconds * 1e6 / messages, (double)used.Bytes / messages, messages / seconds));
                    }
                }
            }

            foreach ((HttpServerKind kind, (ChildProcess server, _)) in rows)
            {
                peaks[kind] = server.Memory.PeakMiB;
            }
        }
        finally
        {
            foreach ((ChildProcess server, HttpLoad load) in rows.Values)
            {
                load.Dispose();
                server.Dispose();
            }
        }

        double bare = Median(measured[HttpServerKind.Bare]).Microseconds;
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# A message over HTTP, {connections} connections\n\n{MachineInfo.Current()}; {messages:N0} messages of {KeyInput.Bytes().Length} B per round, "
                + $"medians of {rounds} rounds in turns; the client shares the machine\n\n");
        text.Append(
            "| | us of processor per message | of the bare endpoint | bytes per message | messages/s | peak RSS, MiB |\n|---|---:|---:|---:|---:|---:|\n");
        foreach ((HttpServerKind kind, List<(double, double, double)> of) in measured)
        {
            (double microseconds, double bytes, double perSecond) = Median(of);
            text.Append(
                CultureInfo.InvariantCulture, $"| {kind} | {microseconds:F1} | {microseconds / bare:F2} | {bytes:N0} | {perSecond:N0} | {peaks[kind]:F0} |\n");
        }

        Console.Out.Write(text);
        await ResultsFile.WriteAsync(
            results,
            "http",
            $"{connections} connections, {messages} messages per round, medians of {rounds} rounds in turns",
            [.. measured
                .Select(of => (of.Key, Median: Median(of.Value), of.Value))
                .Select(
                    of => new { Server = of.Key, CpuMicroseconds = of.Median.Microseconds, of.Median.Bytes, MessagesPerSecond = of.Median.PerSecond,
                        PeakMiB = peaks[of.Key], CpuMicrosecondsOfRounds = of.Value.Select(round => round.Microseconds) })],
            cancellationToken);
        return 0;
    }

    private static (double Microseconds, double Bytes, double PerSecond) Median(List<(double Microseconds, double Bytes, double PerSecond)> rounds) =>
        rounds.Order().ElementAt(rounds.Count / 2);

    private static async Task<ClientSample> SampleAsync(ChildProcess server, CancellationToken cancellationToken) =>
        JsonSerializer.Deserialize(await server.AskAsync(AnswerLimit, cancellationToken), EndToEndJson.Default.ClientSample)!;

    private static int FreePort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
