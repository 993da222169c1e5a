using System.CommandLine;
using Harness.Collecting;
using Messaging.CommandLine;
using Messaging.Configuration;
using Messaging.Hosting;
using Pipeline.Execution;

namespace Harness;

/// <summary>The harness's command line.</summary>
internal static class HarnessCommand
{
    // 128 + SIGINT, as a shell reports it; also the code when the clean-up takes too long.
    private const int Interrupted = 130;

    public static async Task<int> RunAsync(string[] args)
    {
        Option<string?> form = new("--form") { Description = $"Pipeline form: {string.Join(", ", PipelineForm.All)}; default as configured", HelpName = "form" };
        Option<string> source = new("--source") { Description = "channel, http, sqs, servicebus, udp or tcp", DefaultValueFactory = _ => "channel", HelpName = "source" };
        source.AcceptOnlyFromAmong("channel", "http", "sqs", "servicebus", "udp", "tcp");
        Option<string> sink = new("--sink") { Description = "memory, directory or s3", DefaultValueFactory = _ => "directory", HelpName = "sink" };
        sink.AcceptOnlyFromAmong("memory", "directory", "s3");
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to publish and process", 1_000_000, defaultValue: 1_000);
        Option<int?> batch = CountOption.Create("--batch", [], "Service Bus: messages of one batch sent", 10_000, defaultValue: 100);
        Option<int?> concurrency = CountOption.Create("--concurrency", [], "Messages in work at once; default as configured, 100 over Service Bus", 10_000);
        Option<bool> bare = new("--bare") { Description = "Service Bus: the client's processor alone, completing by itself, to read the worker's own cost from the difference" };
        Option<bool> noWait = new("--no-wait") { Description = "Do not stop for a profiler" };
        Option<bool> json = new("--json") { Description = "End with one line of JSON" };
        Option<bool> explain = new("--explain") { Description = "Count the objects allocated while processing, by type" };
        Option<string?> trace = new("--trace") { Description = "Write a trace of the processing for PerfView or Visual Studio", HelpName = "file.nettrace" };
        RootCommand root = new("Publishes messages to the real worker in this process and processes them, with stops to attach a profiler.\nConfiguration keys go behind: --Sources:Sqs:Queue=name --Sinks:S3:Bucket=name\nService Bus: SERVICEBUS_CONNECTION_STRING, or --Sources:ServiceBus:ConnectionString=...; queue harness, or --Sources:ServiceBus:Queue=name")
        {
            form, source, sink, count, batch, concurrency, bare, noWait, json, explain, trace,
        };
        root.TreatUnmatchedTokensAsErrors = false;
        ParseResult parsed = root.Parse(args);
        if (parsed.Errors.Count > 0)
        {
            Console.Error.WriteLine(string.Join(Environment.NewLine, parsed.Errors.Select(error => $"error: {error.Message}").Distinct(StringComparer.Ordinal)));
            return ExitCodes.Usage;
        }

        // The collecting process waits for the measured one, which has its own limit for its end.
        bool isCollecting = !CollectorConnection.IsMeasured && (parsed.GetValue(explain) || parsed.GetValue(trace) is not null);
        root.SetAction(async (result, cancellationToken) =>
        {
            if (!WorkerConfiguration.TrySplitKeys(result.UnmatchedTokens, out List<string> keys, out string? unknown))
            {
                throw new StartupException($"'{unknown}' is neither an option (see --help) nor a configuration key such as --Sinks:S3:Bucket=name.", ExitCodes.Usage);
            }

            HarnessOptions options = new(
                result.GetValue(form),
                result.GetValue(source)!,
                result.GetValue(sink)!,
                result.GetValue(count)!.Value,
                !result.GetValue(noWait),
                result.GetValue(json),
                result.GetValue(explain),
                result.GetValue(trace),
                keys)
            {
                Batch = result.GetValue(batch)!.Value,
                Concurrency = result.GetValue(concurrency),
                Bare = result.GetValue(bare),
            };
            if (options is { Bare: true, IsServiceBus: false })
            {
                throw new StartupException("--bare goes with --source servicebus: the other sources have no client of their own to run alone.", ExitCodes.Usage);
            }

            // System.CommandLine listens for Ctrl+C only once the action has yielded, and up to the first stop everything may be synchronous.
            await Task.Yield();
            return isCollecting ? await CollectAsync(options, args) : await MeasureAsync(options, cancellationToken);
        });

        try
        {
            return await parsed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = isCollecting ? null : TimeSpan.FromSeconds(2) });
        }
        catch (StartupException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return exception.ExitCode;
        }
        catch (OperationCanceledException)
        {
            Console.Error.WriteLine("error: interrupted.");
            return Interrupted;
        }
        catch (ConfigurationException exception)
        {
            Console.Error.WriteLine($"error: {exception.Message}");
            return ExitCodes.Configuration;
        }
    }

    private static async Task<int> CollectAsync(HarnessOptions options, string[] args)
    {
        if (options.Explain && options.Trace is not null)
        {
            throw new StartupException("--explain and --trace exclude each other: task events allocate, and counting would take the time that the trace shows. Run twice.", ExitCodes.Usage);
        }

        using EventCollection collection = options.Trace is null ? new AllocationCollection() : TraceCollection.Create(options.Trace);
        return await Supervisor.RunAsync(args, collection);
    }

    private static async Task<int> MeasureAsync(HarnessOptions options, CancellationToken cancellationToken)
    {
        using CollectorConnection? collector = CollectorConnection.Open();
        if (collector is null)
        {
            return await HarnessRun.RunAsync(options, collector: null, cancellationToken);
        }

        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, collector.Orphaned);
        await collector.AskAsync(CollectorConnection.Running, end.Token);
        return await HarnessRun.RunAsync(options, collector, end.Token);
    }
}
