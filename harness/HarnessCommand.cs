using System.CommandLine;
using System.Runtime.CompilerServices;
using Harness.Collecting;
using Harness.Reports;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Execution;

namespace Harness;

/// <summary>The harness's command line.</summary>
internal static class HarnessCommand
{
    // 128 + SIGINT, as a shell reports it; also used when the clean-up takes too long.
    private const int Interrupted = 130;

    private const string StandardOutput = "-";

    public static async Task<int> RunAsync(string[] args)
    {
        Option<string?> form = new("--form")
        {
            Description = $"Pipeline form: {string.Join(", ", PipelineForm.All)}, "
                + $"or {HarnessOptions.AllForms} for a run of each; default: as configured",
            HelpName = "form"
        };
        Option<string> source =
            new("--source") { Description = "channel, http, sqs, servicebus or tcp", DefaultValueFactory = _ => "channel", HelpName = "source" };
        source.AcceptOnlyFromAmong("channel", "http", "sqs", "servicebus", "tcp");
        Option<string> sink = new("--sink") { Description = "memory, directory or s3", DefaultValueFactory = _ => "directory", HelpName = "sink" };
        sink.AcceptOnlyFromAmong("memory", "directory", "s3");
        Option<int?> count = CountOption.Create("--count", ["-n"], "Messages to publish and process", 1_000_000, defaultValue: 1_000);
        Option<int?> batch = CountOption.Create("--batch", [], "Service Bus: messages per batch sent", 10_000, defaultValue: 100);
        Option<int?> concurrency = CountOption.Create("--concurrency", [], "Messages in flight; default: as configured, 100 for Service Bus", 10_000);
        Option<bool> bare = new("--bare")
        { Description = "Service Bus: the client's processor alone, with auto-complete; the difference to a normal run is the worker's own cost" };
        Option<bool> noWait = new("--no-wait") { Description = "Do not stop for a profiler" };
        Option<string?> json =
            new("--json") { Description = "Print one line of JSON at the end, or write the figures to a file for compare and for a report", HelpName = "file" };
        Option<string?> page = new("--report") { Description = "Write a page of the run", HelpName = "file.html" };
        Option<int?> rounds = CountOption.Create("--rounds", [], "Runs of each form with --form all", 100, defaultValue: 3);
        Option<bool> explain = new("--explain") { Description = "Count the objects allocated while processing, by type" };
        Option<string?> trace = new("--trace") { Description = "Write a trace of the processing for PerfView or Visual Studio", HelpName = "file.nettrace" };
        RootCommand root = new(
            "Publishes messages to the real worker in this process and processes them, with stops to attach a profiler.\nConfiguration keys follow the "
                + "options: --Sources:Sqs:Queue=name --Sinks:S3:Bucket=name\nService Bus: SERVICEBUS_CONNECTION_STRING, or "
                + "--Sources:ServiceBus:ConnectionString=...; queue harness, or --Sources:ServiceBus:Queue=name")
        {
            form, source, sink, count, batch, concurrency, bare, noWait, json, page, rounds, explain, trace, Compare(),
        };
        root.TreatUnmatchedTokensAsErrors = false;

        bool IsAllForms(ParseResult result) => string.Equals(result.GetValue(form), HarnessOptions.AllForms, StringComparison.OrdinalIgnoreCase);

        bool IsCollecting(ParseResult result) =>
            !CollectorConnection.IsMeasured && !IsAllForms(result) && (result.GetValue(explain) || result.GetValue(trace) is not null);

        root.SetAction(async (result, cancellationToken) =>
        {
            if (!WorkerConfiguration.TrySplitKeys(result.UnmatchedTokens, out List<string> keys, out string? unknown))
            {
                throw new StartupException(
                    $"'{unknown}' is neither an option (see --help) nor a configuration key such as --Sinks:S3:Bucket=name.", ExitCodes.Usage);
            }

            HarnessOptions options = new(
                result.GetValue(form),
                result.GetValue(source)!,
                result.GetValue(sink)!,
                result.GetValue(count)!.Value,
                !result.GetValue(noWait),
                result.GetValue(json) == StandardOutput,
                result.GetValue(explain),
                result.GetValue(trace),
                keys)
            {
                Batch = result.GetValue(batch)!.Value,
                Concurrency = result.GetValue(concurrency),
                Bare = result.GetValue(bare),
                Report = result.GetValue(page),
                Figures = result.GetValue(json) is var file && file == StandardOutput ? null : file,
                Rounds = result.GetValue(rounds)!.Value,
            };
            if (options is { Bare: true, IsServiceBus: false })
            {
                throw new StartupException("--bare requires --source servicebus: the other sources have no client that can run alone.", ExitCodes.Usage);
            }

            if (IsAllForms(result) && (options.Bare || options.Trace is not null))
            {
                throw new StartupException("--form all excludes --bare, which has no pipeline, and --trace, which records one run.", ExitCodes.Usage);
            }

            if ((options.Explain || options.Trace is not null) && !RuntimeFeature.IsDynamicCodeSupported)
            {
                throw new StartupException(
                    "--explain and --trace need the JIT build: a native process does not open the diagnostics port that they read. "
                        + "Use dotnet run -c Release --project harness.", ExitCodes.Usage);
            }

            ReportFiles.Check("--report", options.Report);
            ReportFiles.Check("--json", options.Figures);

            // System.CommandLine handles Ctrl+C only after the action has yielded, and everything up to the first stop may be synchronous.
            await Task.Yield();
            return IsAllForms(result)
                ? await FormsRun.RunAsync(options, cancellationToken)
                : IsCollecting(result)
                ? await CollectAsync(options, args)
                : await MeasureAsync(options, cancellationToken);
        });

        // --json without a file prints to standard output; the next argument may be a configuration key.
        string[] given = [
            .. args.Select(
                (arg, i) => arg == "--json" && (i + 1 == args.Length || args[i + 1].StartsWith("--", StringComparison.Ordinal))
                    ? $"--json={StandardOutput}"
                    : arg)];
        ParseResult parsed = root.Parse(given);
        if (parsed.Errors.Count > 0)
        {
            Console.Error.WriteLine(
                string.Join(Environment.NewLine, parsed.Errors.Select(error => $"error: {error.Message}").Distinct(StringComparer.Ordinal)));
            return ExitCodes.Usage;
        }

        try
        {
            // The collecting process waits for the measured one, which has its own time limit for its shutdown.
            return await parsed.InvokeAsync(
                new InvocationConfiguration
                { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = IsCollecting(parsed) ? null : TimeSpan.FromSeconds(2) });
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

    private static Command Compare()
    {
        Argument<string> before = new("before") { Description = "A file of figures, written by --json FILE" };
        Argument<string> after = new("after") { Description = "Another file, from the same machine" };
        Option<string?> page = new("--report") { Description = "Write a page with both", HelpName = "file.html" };
        Command compare = new("compare", "Compares two runs, or two runs of all forms, figure by figure") { before, after, page };
        compare.SetAction(result =>
        {
            Comparison comparison = Comparison.Read(result.GetValue(before)!, result.GetValue(after)!);
            comparison.Write(Console.Out);
            ReportFiles.Check("--report", result.GetValue(page));
            if (result.GetValue(page) is { } path)
            {
                File.WriteAllText(path, comparison.ToPage());
                Console.Error.WriteLine($"The report is in {path}.");
            }

            return ExitCodes.Success;
        });
        return compare;
    }

    private static async Task<int> CollectAsync(HarnessOptions options, string[] args)
    {
        if (options.Explain && options.Trace is not null)
        {
            throw new StartupException(
                "--explain and --trace exclude each other: task events allocate, and counting takes time that the trace would show. Run twice.",
                ExitCodes.Usage);
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
