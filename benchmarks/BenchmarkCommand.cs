using System.CommandLine;
using Benchmarks.Aws.Put;
using Benchmarks.Bytes;
using Benchmarks.Charts;
using Benchmarks.Cold;
using Benchmarks.Compare;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;
using Benchmarks.Handlers;
using Benchmarks.Keys;
using Benchmarks.Pipelines;
using Benchmarks.Reports;
using Benchmarks.Seeds;
using Benchmarks.Sockets.TcpLines;
using Benchmarks.Sockets.Udp;
using Benchmarks.Techniques.Pages;

namespace Benchmarks;

/// <summary>The benchmarks' command line: BenchmarkDotNet's own behind <c>run</c>, and what it does not have beside it.</summary>
internal static class BenchmarkCommand
{
    // sysexits.h, as in the worker and the harness.
    private const int UsageError = 64;

    public static Task<int> RunAsync(string[] args)
    {
        switch (args)
        {
            case ["cold-child", ..]:
                // Before anything else is compiled: the process measures its own first steps.
                return Task.FromResult(ColdChild.Run(args));
            case [ServerProcess.Verb]:
                return Task.FromResult(ServerProcess.Run());
            case [ClientProcess.Verb, ..]:
                return ClientProcess.RunAsync(args);
            case [PutChildren.Server]:
                return Task.FromResult(PutChildren.RunServer());
            case [PutChildren.Client, ..]:
                return PutChildren.RunClientAsync(args);
            case [KeyRatio.Verb, string template, string count]:
                return Task.FromResult(KeyRatio.RunChild(template, count));
            case [TypedRatio.Verb, _, string count]:
                return TypedRatio.RunChildAsync(count);
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

        Command run = new("run", "Runs the BenchmarkDotNet suites of the worker's parts; its own options follow, such as --filter '*Execution*'") { TreatUnmatchedTokensAsErrors = false };
        run.SetAction(result => SuiteRunner.Run(SuiteTypes.Systems, result.UnmatchedTokens, SuiteConfig.Full(), "run"));

        Option<FileInfo> expected = new("--expected") { Description = "The file of expected bytes", DefaultValueFactory = _ => new FileInfo("benchmarks/expected-bytes.json") };
        Option<bool> update = new("--update") { Description = "Write what is measured into the file instead of checking it" };
        Command bytes = new("bytes", "Counts the bytes a message allocates in every case (scenario/variant/parts or bytes/in flight; a minute) and ends with 1 on any rise") { expected, update };
        bytes.SetAction(result => ByteGate.Run(result.GetValue(expected)!, result.GetValue(update)));

        Option<int> launches = new("--launches") { Description = "Processes a case, 1 to 1,000", DefaultValueFactory = _ => 15 };
        launches.InRange(1, 1_000);
        Option<DirectoryInfo?> output = new("--results") { Description = "Folder for cold-start.md" };
        Command cold = new("cold", "Composes a chain and sends one message, each time in a new process") { launches, output };
        cold.SetAction((result, cancellationToken) => ColdStart.RunAsync(result.GetValue(launches), result.GetValue(output), cancellationToken));

        Command keys = InTurns("keys", "Makes keys of a message, with values at depth 1, 2 and 4, in turns with a bare scan of its tokens (a minute)", KeyRatio.RunAsync);
        Command throws = InTurns("throws", "Sends messages through 10, 20 and 40 parts of which the last throws at once: Fused in turns with Expression (two minutes)", ThrowRatio.RunAsync);
        Command typed = InTurns("typed", "Sends messages from the channel to a typed handler, in turns with the archive and the sink Memory, whose bodies are deserialized beside it: processor time (a minute with --turns 200)", TypedRatio.RunAsync);

        Argument<DirectoryInfo> before = new("before") { Description = "A results folder" };
        Argument<DirectoryInfo> after = new("after") { Description = "Another one of the same machine" };
        Option<double> threshold = new("--threshold") { Description = "Share of the time below which two rows are the same", DefaultValueFactory = _ => 0.02 };
        threshold.InRange(0, 1);
        Command compare = new("compare", "Compares two results folders row by row; ends with 1 when something got slower or allocates more, with 2 when they cannot be compared") { before, after, threshold };
        compare.SetAction(result => ResultComparer.Run(result.GetValue(before)!, result.GetValue(after)!, result.GetValue(threshold), Console.Out));

        Argument<DirectoryInfo> results = new("results") { Description = "A results folder" };
        Command chart = new("chart", "Draws a results folder's charts as SVG into it") { results };
        chart.SetAction(result => ChartCommand.Run(result.GetValue(results)!));

        RootCommand root = new("What the worker's parts cost, measured") { run, bytes, cold, keys, throws, typed, Put(), EndToEndCommand.Create(), UdpCommand.Create(), UdpCommand.CreateSmall(), TcpLinesCommand.Create(), compare, chart, ReportCommand.Create(), TechniqueCommand.CreateRun(), TechniqueCommand.CreatePages(), SeedsCommand.Create() };
        ParseResult parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            Console.Error.WriteLine(string.Join(Environment.NewLine, parsed.Errors.Select(error => $"error: {error.Message}").Distinct(StringComparer.Ordinal)));
            return Task.FromResult(UsageError);
        }

        return InvokeAsync(parsed);
    }

    private static Command InTurns(string name, string description, Func<int, int, CancellationToken, Task<int>> run)
    {
        Option<int> turns = new("--turns") { Description = "Turns of both sides, 10 to 100,000", DefaultValueFactory = _ => 1_500 };
        turns.InRange(10, 100_000);
        Option<int> launches = new("--launches") { Description = "Processes per row, 1 to 100", DefaultValueFactory = _ => 7 };
        launches.InRange(1, 100);
        Command command = new(name, description) { launches, turns };
        command.SetAction((result, cancellationToken) => run(result.GetValue(launches), result.GetValue(turns), cancellationToken));
        return command;
    }

    private static Command Put()
    {
        Option<double> seconds = new("--seconds") { Description = "Seconds a round, 0.1 to 60", DefaultValueFactory = _ => 2 };
        seconds.InRange(0.1, 60);
        Option<int> inFlight = new("--in-flight") { Description = "PUTs under way at once, 1 to 256", DefaultValueFactory = _ => 16 };
        inFlight.InRange(1, 256);
        Option<int> passes = new("--passes") { Description = "Times each client runs, 1 to 20", DefaultValueFactory = _ => 3 };
        passes.InRange(1, 20);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for put.md and put.json" };
        Command put = new("put", "Puts objects of 1 KiB by every client in turn, each in a process of its own, to a server in another (5 minutes)") { seconds, inFlight, passes, results };
        put.SetAction((result, cancellationToken) =>
            PutCommand.RunAsync(result.GetValue(seconds), result.GetValue(inFlight), result.GetValue(passes), result.GetValue(results), cancellationToken));
        return put;
    }

    private static async Task<int> InvokeAsync(ParseResult parsed)
    {
        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidOperationException or TimeoutException or HttpRequestException)
        {
            // A folder that cannot be written, or a process of the benchmark that gave up: its own errors are above.
            Console.Error.WriteLine($"error: {exception.Message}");
            return 1;
        }
    }
}
