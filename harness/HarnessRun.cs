using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime;
using Harness.Collecting;
using Harness.Recording;
using Harness.Reports;
using Harness.ServiceBus;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources.Channels;
using Quayside.Messaging.Telemetry;

namespace Harness;

/// <summary>One run: starts the worker, publishes, processes all messages and reports, with the named stops in between.</summary>
internal static class HarnessRun
{
    private const string Route = "harness";

    // Processing without progress for this long has failed; the report then shows how many messages were processed.
    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(5);

    private static readonly GeneratedMessages Samples = new(Define().Handlers.OfType<ISampleFeature>().First().WriteSample, TimeProvider.System);

    public static async Task<int> RunAsync(HarnessOptions options, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        string folder = Path.Combine(Path.GetTempPath(), $"worker-harness-{Environment.ProcessId}");
        IConfigurationRoot configuration = Configure(options, folder);
        try
        {
            (HarnessReport report, RouteTotals totals) = options.Bare
                ? (await BareRun.RunAsync(options, configuration, Route, static bus => bus.CreateClient(), collector, cancellationToken), default)
                : await RunWorkerAsync(options, configuration, collector, cancellationToken);
            report = report with { Record = report.Record is { } record ? record with { Settings = Describe(options, configuration, folder) } : null };
            report.Write(options.Json, totals);
            ReportFiles.Write(options, [report], isAllForms: false);
            if (options.Trace is not null)
            {
                Console.Error.WriteLine($"The trace is in {options.Trace}; the bytes and times of this run include the tracing.");
            }

            return report.Messages == options.Count ? ExitCodes.Success : ExitCodes.Incomplete;
        }
        finally
        {
            if (Directory.Exists(folder))
            {
                Directory.Delete(folder, recursive: true);
            }
        }
    }

    /// <summary>Sends generated messages.</summary>
    /// <exception cref="StartupException">Not all messages were accepted.</exception>
    public static async Task PublishAsync(IMessageSender sender, int count, CancellationToken cancellationToken)
    {
        string? error = (await PublishRun.SendAsync(sender, Samples.Create, count, rate: null, cancellationToken)).FirstError;
        if (error is not null)
        {
            throw new StartupException($"Publishing failed: {error}");
        }
    }

    /// <summary>Waits until <paramref name="countDone"/> reaches the number of messages; gives up when it no longer rises.</summary>
    public static async Task WaitAsync(Func<long> countDone, int count, CancellationToken cancellationToken)
    {
        long last = -1;
        long lastChange = Stopwatch.GetTimestamp();

        // One timer for all rounds, because waiting must not allocate within the measured span.
        using PeriodicTimer timer = new(PollInterval);
        while (true)
        {
            long done = countDone();
            if (done >= count)
            {
                return;
            }

            if (done != last)
            {
                last = done;
                lastChange = Stopwatch.GetTimestamp();
            }
            else if (Stopwatch.GetElapsedTime(lastChange) > StallLimit)
            {
                Console.Error.WriteLine($"error: no progress for {StallLimit.TotalSeconds} s at {done} of {count} messages.");
                return;
            }

            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    /// <summary>Begins the measured span.</summary>
    public static async Task<Measurement> StartAsync(
        HarnessOptions options, CollectorConnection? collector, Func<long> countDone, CancellationToken cancellationToken)
    {
        RunRecorder? recorder = options.IsRecorded ? new RunRecorder(countDone, samplesAllocations: !options.Explain) : null;
        if (collector is not null)
        {
            await collector.AskAsync(CollectorConnection.Begin, cancellationToken);
        }

        return Measurement.Start(recorder);
    }

    /// <summary>Ends the collecting, after the measured span, and fetches its result.</summary>
    public static async Task<HarnessReport> EndAsync(
        HarnessReport report, HarnessOptions options, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        if (collector is null)
        {
            return report;
        }

        CollectedAllocations collected = await collector.EndAsync(cancellationToken);
        return options.Explain ? report.With(AllocationTable.Create(collected)) : report;
    }

    private static async Task<(HarnessReport Report, RouteTotals Totals)> RunWorkerAsync(
        HarnessOptions options, IConfigurationRoot configuration, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        IHost app = WorkerApp.CreateHost(Define(), configuration, logging => logging.SetMinimumLevel(LogLevel.Warning));
        await using IAsyncDisposable disposing = (IAsyncDisposable)app;
        IMessageWorker worker = app.Services.GetRequiredService<IMessageWorker>();

        // Publishing and processing are measured separately, so the worker receives nothing until everything is published. Over HTTP
        // and acknowledged lines this is impossible: a sender's response is the end of processing.
        bool together = options.Source is "http" or "tcp";
        worker.ReceiveOnStart = together;
        await app.StartAsync(cancellationToken);

        HarnessStops.Wait(options, together ? HarnessStops.BeforeBoth : HarnessStops.Before);
        Measurement? measurement = together ? await StartAsync(options, collector, () => CountDone(worker), cancellationToken) : null;
        await PublishAsync(options, configuration, app, cancellationToken);
        if (!together)
        {
            HarnessStops.Wait(options, HarnessStops.Published);
            measurement = await StartAsync(options, collector, () => CountDone(worker), cancellationToken);
            worker.StartReceiving();
        }

        await WaitAsync(() => CountDone(worker), options.Count, cancellationToken);
        HarnessReport report = await EndAsync(
            measurement!.Finish(options, worker, app.Services.GetRequiredService<IWorkerStatus>(), Route), options, collector, cancellationToken);
        HarnessStops.Wait(options, HarnessStops.Processed);
        await app.StopAsync(cancellationToken);
        return (report, worker.GetTotals(Route));
    }

    // The settings as the worker reports them, so secrets are masked. Omitted are the settings of every run (ports, folders), and the form, which the report
    // names.
    private static Dictionary<string, string> Describe(HarnessOptions options, IConfiguration configuration, string folder)
    {
        Dictionary<string, string> settings = new(StringComparer.Ordinal)
        {
            ["Messages"] = $"{options.Count:N0}",
            ["Garbage collector"] = $"{(GCSettings.IsServerGC ? "server" : "workstation")}, "
                + $"{(GC.GetConfigurationVariables().GetValueOrDefault("ConcurrentGC") is false ? "not concurrent" : "concurrent")}",
            ["Taken"] = $"{TimeProvider.System.GetUtcNow():yyyy-MM-dd HH:mm} UTC",
        };
        HashSet<string> own = [.. OwnKeys(options, folder).Select(NameOf).Except(options.Keys.Select(NameOf), StringComparer.OrdinalIgnoreCase)];
        foreach (EffectiveSetting setting in Define().Plan(configuration).Effective.Where(
            setting => !setting.IsDefault && setting.Key != "Pipeline:Form" && !own.Contains(setting.Key)))
        {
            settings[setting.Key] = setting.Value;
        }

        return settings;
    }

    // The port is released before the worker binds it, because the sender is configured before the worker could report its own port.
    private static int FreePort()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private static WorkerDefinition Define() => new(Quayside.Worker.Program.AddFeatures);

    private static long CountDone(IMessageWorker worker)
    {
        RouteTotals totals = worker.GetTotals(Route);
        return totals.Stored + totals.DeadLetters;
    }

    private static string NameOf(string key) => key[2..key.IndexOf('=', StringComparison.Ordinal)];

    private static string[] OwnKeys(HarnessOptions options, string folder) =>
    [
        $"--Routes:{Route}:Source={(options.Source == "tcp" ? "TcpLines" : options.Source)}",
        $"--Routes:{Route}:Sink={options.Sink}",
        "--Sinks:Memory:AllowLoss=true",
        "--Hosting:ReportEvery=0s",
        "--Hosting:Url=http://127.0.0.1:0",
        $"--Sources:Channel:Capacity={options.Count}",
        $"--Sources:TcpLines:Endpoint=127.0.0.1:{FreePort()}",
        "--Sources:TcpLines:Acknowledge=true",
        $"--Sinks:Directory:Path={Path.Combine(folder, "data")}",
        $"--DeadLetters:Path={Path.Combine(folder, "dead-letters")}",
    ];

    private static IConfigurationRoot Configure(HarnessOptions options, string folder)
    {
        List<string> keys = [.. OwnKeys(options, folder)];
        if (options.Form is not null)
        {
            keys.Add($"--Pipeline:Form={options.Form}");
        }

        if (options.IsServiceBus)
        {
            IConfigurationRoot given = WorkerConfiguration.Build(configFile: null, options.Keys, readSettingsFile: false);
            keys.AddRange(ServiceBusKeys.Defaults(given, Environment.GetEnvironmentVariable, options.ConcurrencyOrDefault));
        }
        else if (options.Concurrency is { } concurrency)
        {
            keys.Add($"--Intake:Concurrency={concurrency}");
        }

        return WorkerConfiguration.Build(configFile: null, [.. keys, .. options.Keys], readSettingsFile: false);
    }

    private static async Task PublishAsync(HarnessOptions options, IConfiguration configuration, IHost app, CancellationToken cancellationToken)
    {
        if (options.Source == "channel")
        {
            await Samples.PublishAsync(app.Services.GetRequiredKeyedService<IMessagePublisher>(Route), options.Count, cancellationToken);
            return;
        }

        string address = app.Services.GetRequiredService<WebServer>().Urls[0];
        using IMessageSender sender = options.IsServiceBus
            ? await BareRun.OpenSenderAsync(options, BareRun.ReadOptions(configuration, Route), static bus => bus.CreateClient(), cancellationToken)
            : options.Source is "tcp" ? await LineSender.OpenAsync(configuration["Sources:TcpLines:Endpoint"]!, cancellationToken)
            : await Define().GetSenders().OpenAsync(
                options.Source, configuration, options.Source == "http" ? null : Route, address,
                new CommandServices(TimeProvider.System, Console.Out, Console.Error), cancellationToken);
        await PublishAsync(sender, options.Count, cancellationToken);
    }
}
