using System.CommandLine;
using Benchmarks.Aws.Put;
using Benchmarks.AzureBlobs;
using Benchmarks.Bytes;
using Benchmarks.Cold;
using Benchmarks.Compare;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;
using Benchmarks.Files;
using Benchmarks.Handlers;
using Benchmarks.Http;
using Benchmarks.Interleaved;
using Benchmarks.Keys;
using Benchmarks.Native;
using Benchmarks.Pipelines;
using Benchmarks.Reports;
using Benchmarks.Sockets.TcpLines;
using Benchmarks.Sockets.Udp;

namespace Benchmarks;

/// <summary>The benchmarks' command line: BenchmarkDotNet's own after <c>run</c>, and the commands that BenchmarkDotNet does not have.</summary>
internal static class BenchmarkCommand
{
    /// <summary>The suites of the worker's parts.</summary>
    public static Type[] Suites { get; } = SuiteTypes.In(typeof(BenchmarkCommand).Assembly);

    public static Task<int> RunAsync(string[] args)
    {
        switch (args)
        {
            case ["cold-child", ..]:
                // Before anything else is compiled, since the process measures its own start.
                return Task.FromResult(ColdChild.Run(args));
            case [ServerProcess.Verb, _]:
                return Task.FromResult(ServerProcess.Run(args));
            case [ClientProcess.Verb, ..]:
                return ClientProcess.RunAsync(args);
            case [HttpServerProcess.Verb, string kind, string httpPort]:
                return HttpServerProcess.RunAsync(kind, httpPort);
            case [PutChildren.Server]:
                return Task.FromResult(PutChildren.RunServer());
            case [BlobsCommand.ServerVerb]:
                return Task.FromResult(BlobsCommand.RunServer());
            case [PutChildren.Client, ..]:
                return PutChildren.RunClientAsync(args);
            case [KeyRatio.Verb, string template, string count]:
                return Task.FromResult(KeyRatio.RunChild(template, count));
            case [TypedRatio.Verb, _, string count]:
                return TypedRatio.RunChildAsync(count);
            case [DurationRatio.Verb, _, string count]:
                return DurationRatio.RunChildAsync(count);
            case [ThrowRatio.Verb, string depth, string count]:
                return Task.FromResult(ThrowRatio.RunChild(depth, count));
            case [UdpCommand.ReceiverVerb, string receiver]:
                return Task.FromResult(UdpCommand.Receive(receiver, UdpCommand.DatagramBytes));
            case [UdpCommand.SenderVerb, string port, string rate]:
                return Task.FromResult(UdpCommand.Send(port, rate, UdpCommand.DatagramBytes));
            case [UdpCommand.SmallReceiverVerb, string receiver]:
                return Task.FromResult(UdpCommand.Receive(receiver, UdpCommand.SmallDatagramBytes));
            case [UdpCommand.SmallSenderVerb, string port, string rate]:
                return Task.FromResult(UdpCommand.Send(port, rate, UdpCommand.SmallDatagramBytes));
            case [TcpLinesCommand.ReceiverVerb, string receiver]:
                return Task.FromResult(TcpLinesCommand.Receive(receiver));
            case [TcpLinesCommand.SenderVerb, string port, _]:
                return Task.FromResult(TcpLinesCommand.Send(port));
        }

        return CommandRunner.InvokeAsync(Root(), args);
    }

    /// <summary>The commands, without the verbs of child processes.</summary>
    public static RootCommand Root()
    {
        Command run = new("run", "Runs the BenchmarkDotNet suites of the worker's parts; its own options follow, such as --filter '*Execution*'")
        { TreatUnmatchedTokensAsErrors = false };
        run.SetAction(result => SuiteRunner.Run(Suites, result.UnmatchedTokens, SuiteConfig.Full(), "run"));

        Option<FileInfo> expected =
            new("--expected") { Description = "The file of expected bytes", DefaultValueFactory = _ => new FileInfo("benchmarks/expected-bytes.json") };
        Option<bool> update = new("--update") { Description = "Write the measured bytes to the file instead of checking them" };
        Command bytes = new(
            "bytes", "Counts the bytes allocated per message in every case (scenario/variant/parts or bytes/in flight; a minute); exits with 1 on any rise")
            { expected, update };
        bytes.SetAction(result => ByteGate.Run(result.GetValue(expected)!, result.GetValue(update)));

        Option<int> launches = new("--launches") { Description = "Processes per case, 1 to 1,000", DefaultValueFactory = _ => 15 };
        launches.InRange(1, 1_000);
        Option<DirectoryInfo?> output = new("--results") { Description = "Folder for cold-start.md and .json" };
        Command cold = new("cold", "Measures composing a chain and sending one message, each time in a new process") { launches, output };
        cold.SetAction((result, cancellationToken) => ColdStart.RunAsync(result.GetValue(launches), result.GetValue(output), cancellationToken));

        Command keys = InTurns(
            "keys", "Measures message to key, with values at depth 1, 2 and 4, alternating with a bare scan of the message's tokens (a minute)",
            KeyRatio.RunAsync);
        Command throws = InTurns(
            "throws", "Sends messages through 10, 20 and 40 parts, the last of which throws synchronously: Fused alternating with Expression (two minutes)",
            ThrowRatio.RunAsync);
        Command typed = InTurns(
            "typed",
            "Measures the processor time from the channel to a typed handler, alternating with the archive and the sink Memory, whose bodies are deserialized "
                + "separately (a minute with --turns 200)", TypedRatio.RunAsync);
        Command durations = InTurns(
            "durations",
            "Measures the processor time from the channel to the archive and the sink Memory while the histograms of /metrics are recorded, alternating with "
                + "the same while they are not (a minute with --turns 200)", DurationRatio.RunAsync);

        Argument<DirectoryInfo> before = new("before") { Description = "A results folder" };
        Argument<DirectoryInfo> after = new("after") { Description = "Another one from the same machine" };
        Option<double> threshold =
            new("--threshold") { Description = "Relative difference in time below which two rows are the same", DefaultValueFactory = _ => 0.02 };
        threshold.InRange(0, 1);
        Command compare = new(
            "compare",
            "Compares two results folders row by row; exits with 1 when a row got slower or allocates more, with 2 when the folders cannot be compared")
            { before, after, threshold };
        compare.SetAction(result => ResultComparer.Run(result.GetValue(before)!, result.GetValue(after)!, result.GetValue(threshold), Console.Out));

        return new RootCommand(
            "Measures what the worker's parts cost") { run, bytes, cold, keys, throws, typed, durations, Put(), BlobsCommand.Create(), EndToEndCommand.Create(),
                UdpCommand.Create(), TcpLinesCommand.Create(), FolderCommand.Create(), HttpCommand.Create(), NativeCommand.Create(), compare,
                ReportCommand.Create() };
    }

    private static Command InTurns(string name, string description, Func<RatioOptions, CancellationToken, Task<int>> run)
    {
        Option<int> turns = new("--turns") { Description = "Turns of each side, 10 to 100,000", DefaultValueFactory = _ => 1_500 };
        turns.InRange(10, 100_000);
        Option<int> launches = new("--launches") { Description = "Processes per row, 1 to 100", DefaultValueFactory = _ => 7 };
        launches.InRange(1, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = $"Folder for {name}.json" };
        Command command = new(name, description) { launches, turns, results };
        command.SetAction(
            (result, cancellationToken) => run(
                    new RatioOptions(name, result.GetValue(launches), result.GetValue(turns), result.GetValue(results)), cancellationToken));
        return command;
    }

    private static Command Put()
    {
        Option<double> seconds = new("--seconds") { Description = "Seconds per round, 0.1 to 60", DefaultValueFactory = _ => 2 };
        seconds.InRange(0.1, 60);
        Option<int> inFlight = new("--in-flight") { Description = "PUTs in flight, 1 to 256", DefaultValueFactory = _ => 16 };
        inFlight.InRange(1, 256);
        Option<int> passes = new("--passes") { Description = "Runs of each client, 1 to 20", DefaultValueFactory = _ => 3 };
        passes.InRange(1, 20);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for put.md and put.json" };
        Command put = new("put", "Puts objects of 1 KiB with each client in turn, each in its own process, to a server in another process (5 minutes)")
            { seconds, inFlight, passes, results };
        put.SetAction((result, cancellationToken) =>
            PutCommand.RunAsync(result.GetValue(seconds), result.GetValue(inFlight), result.GetValue(passes), result.GetValue(results), cancellationToken));
        return put;
    }
}
