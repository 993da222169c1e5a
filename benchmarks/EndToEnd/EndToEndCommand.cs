using System.CommandLine;
using System.Text.Json;
using Benchmarks.EndToEnd.Clients;
using Harness.Pages;

namespace Benchmarks.EndToEnd;

/// <summary><c>end-to-end</c>: the worker and its twins from SQS to S3.</summary>
internal static class EndToEndCommand
{
    private static readonly JsonSerializerOptions Indented =
        new() { WriteIndented = true, Converters = { new System.Text.Json.Serialization.JsonStringEnumConverter() } };

    public static Command Create()
    {
        Option<int[]> inFlight = new("--in-flight")
        {
            Description = "Messages in flight, separated by spaces; 0 for as many as the worker finds by itself",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [1, 16, 64, 256]
        };
        Option<int> messages = new("--messages") { Description = "Messages per pass", DefaultValueFactory = _ => 30_000 };
        Option<int> passes = new("--passes") { Description = "Passes per row; the median is shown", DefaultValueFactory = _ => 3 };
        Option<int[]> sizes = new("--sizes")
        {
            Description = "Messages per pass of the table that shows whether the cost stays flat, separated by spaces",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [1_000, 10_000, 100_000, 1_000_000]
        };
        Option<bool> noSizes = new("--no-sizes") { Description = "Leave that table out" };
        Option<ClientKind[]> clients = new("--clients")
        {
            Description = "Clients to run, separated by spaces; default all but those with envelopes, WorkerSns and WorkerGzip",
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [.. Enum.GetValues<ClientKind>().Except([ClientKind.WorkerSns, ClientKind.WorkerGzip])]
        };
        Option<int> warmUp = new("--warm-up") { Description = "Messages per warm-up round", DefaultValueFactory = _ => 10_000 };
        Option<int> putLatency = new("--put-latency-ms") { Description = "How long a PUT waits for its answer; a real S3 takes about 20 ms" };
        Option<int> bundle = new("--bundle") { Description = "Messages that the worker stores in one object (gzip); 0 for an object per message" };
        Option<DirectoryInfo?> results = new("--results")
        { Description = "Folder for end-to-end.md, .json and .svg; with a latency or bundles, end-to-end-20ms.md or end-to-end-bundles.md" };
        Command command = new(
            "end-to-end", "Measures SQS to S3: the worker with both clients beside hand-written loops over the SDKs and HttpClient (40 minutes)")
            { inFlight, messages, passes, sizes, noSizes, clients, warmUp, putLatency, bundle, results };
        // The range of Intake:Concurrency.
        inFlight.InRange(0, 10_000);
        putLatency.InRange(0, 10_000);
        bundle.InRange(0, 5_000);
        messages.InRange(1, 10_000_000);
        sizes.InRange(1, 10_000_000);
        passes.InRange(1, 100);
        warmUp.InRange(1, 1_000_000);
        command.SetAction((result, cancellationToken) => RunAsync(
            new EndToEndOptions(
                result.GetValue(clients)!,
                result.GetValue(inFlight)!,
                result.GetValue(messages),
                result.GetValue(passes),
                result.GetValue(noSizes) ? [] : result.GetValue(sizes)!,
                result.GetValue(warmUp),
                result.GetValue(putLatency),
                result.GetValue(bundle)),
            result.GetValue(results),
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(EndToEndOptions options, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        using EndToEndRun run = new(options, Console.Error);
        (IReadOnlyList<EndToEndRow> byInFlight, IReadOnlyList<EndToEndRow> bySize) = await run.RunAsync(cancellationToken);
        string machine = $"{MachineInfo.Current()}, {TimeProvider.System.GetUtcNow():yyyy-MM-dd}; server and client share it; workstation GC, not "
            + $"concurrent{(options.PutMilliseconds > 0 ? $"; the store answers after {options.PutMilliseconds} ms" : "")}"
            + $"{(options.Bundle > 0 ? $"; the worker stores {options.Bundle} messages per object" : "")}";
        string name = $"end-to-end{(options.PutMilliseconds > 0 ? $"-{options.PutMilliseconds}ms" : "")}{(options.Bundle > 0 ? "-bundles" : "")}";
        string report = EndToEndReport.Write(machine, byInFlight, bySize);
        Console.Out.WriteLine(report);
        if (results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(results.FullName, $"{name}.md"), report, cancellationToken);
            if (byInFlight.Count > 0)
            {
                await File.WriteAllTextAsync(Path.Combine(results.FullName, $"{name}.svg"), EndToEndReport.Draw(machine, byInFlight), cancellationToken);
            }

            await File.WriteAllTextAsync(
                Path.Combine(results.FullName, $"{name}.json"), JsonSerializer.Serialize(new { machine, byInFlight, bySize }, Indented) + "\n",
                cancellationToken);
        }

        return 0;
    }
}
