using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Harness.Collecting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Worker.CommandLine;
using Worker.Hosting;
using Worker.Routes;
using Worker.Sources.Channels;
using Worker.Telemetry;

namespace Harness;

/// <summary>One run: open the worker, publish, receive until everything is through, report; with the named stops in between.</summary>
internal static class HarnessRun
{
    private const string Route = "harness";

    // Processing that makes no progress for this long has failed; the report then says how far it came.
    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(5);

    public static async Task<int> RunAsync(HarnessOptions options, CollectorConnection? collector, CancellationToken cancellationToken)
    {
        string folder = Path.Combine(Path.GetTempPath(), $"worker-harness-{Environment.ProcessId}");
        IConfigurationRoot configuration = Configure(options, folder);
        try
        {
            await using WebApplication app = WorkerHost.Build(configuration, logging => logging.SetMinimumLevel(LogLevel.Warning));
            WorkerService worker = app.Services.GetRequiredService<WorkerService>();

            // Publishing and processing are measured apart, so nothing is received before everything is published; over HTTP and
            // acknowledged lines the answer to a publish is the processing's end, and the two are one, and nothing but the source
            // itself keeps datagrams.
            bool together = options.Source is "http" or "tcp" or "udp";
            worker.ReceiveOnStart = together;
            await app.StartAsync(cancellationToken);
            MessageRoute route = worker.Routes[0];

            Stop(options, "before publishing", together ? "the messages are published and processed next" : "the messages are published next");
            Measurement? measurement = together ? await StartAsync(collector, cancellationToken) : null;
            await PublishAsync(options, configuration, app, cancellationToken);
            if (!together)
            {
                Stop(options, "after publishing", "the messages are processed next");
                measurement = await StartAsync(collector, cancellationToken);
                worker.StartReceiving();
            }

            await WaitAsync(route, options.Count, cancellationToken);
            HarnessReport report = measurement!.Finish(options, route);
            if (collector is not null)
            {
                CollectedAllocations collected = await collector.EndAsync(cancellationToken);
                report = options.Explain ? report with { Table = AllocationTable.Create(collected) } : report;
            }

            Stop(options, "after processing", "the harness reports and ends next");
            await app.StopAsync(cancellationToken);
            report.Write(options.Json, route.Metrics.Totals);
            if (options.Trace is not null)
            {
                Console.Error.WriteLine($"The trace is in {options.Trace}; bytes and times of this run contain the tracing.");
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

    private static IConfigurationRoot Configure(HarnessOptions options, string folder)
    {
        List<string> keys =
        [
            $"--Routes:{Route}:Source={(options.Source == "tcp" ? "TcpLines" : options.Source)}",
            $"--Routes:{Route}:Sink={options.Sink}",
            "--Hosting:Url=http://127.0.0.1:0",
            $"--Sources:Channel:Capacity={options.Count}",
            $"--Sources:Udp:Endpoint=127.0.0.1:{FreePort(SocketType.Dgram)}",
            $"--Sources:Udp:ChannelCapacity={options.Count}",
            $"--Sources:TcpLines:Endpoint=127.0.0.1:{FreePort(SocketType.Stream)}",
            "--Sources:TcpLines:Acknowledge=true",
            $"--Sinks:Directory:Path={Path.Combine(folder, "data")}",
            $"--DeadLetters:Path={Path.Combine(folder, "dead-letters")}",
        ];
        if (options.Form is not null)
        {
            keys.Add($"--Pipeline:Form={options.Form}");
        }

        return WorkerConfiguration.Build(configFile: null, [.. keys, .. options.Keys], readSettingsFile: false);
    }

    private static async Task PublishAsync(HarnessOptions options, IConfiguration configuration, WebApplication app, CancellationToken cancellationToken)
    {
        if (options.Source == "channel")
        {
            await DemoRunner.PublishAsync(app.Services.GetRequiredService<ChannelPublishers>().For(Route), options.Count, TimeProvider.System, cancellationToken);
            return;
        }

        string address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        using IMessageSender sender = await PublishCommand.CreateSenderAsync(options.Source, configuration, address, options.Source == "http" ? null : Route, cancellationToken);
        string? error = (await PublishCommand.SendAsync(sender, options.Count, rate: null, cancellationToken)).FirstError;
        if (error is not null)
        {
            throw new StartupException($"Publishing failed: {error}");
        }
    }

    // Given back before the worker takes it: the sender is configured before the worker could say which port it got.
    private static int FreePort(SocketType type)
    {
        using Socket socket = new(AddressFamily.InterNetwork, type, type == SocketType.Dgram ? ProtocolType.Udp : ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private static async Task WaitAsync(MessageRoute route, int count, CancellationToken cancellationToken)
    {
        long last = -1;
        long lastChange = Stopwatch.GetTimestamp();

        // One timer for all rounds: waiting must not allocate within the span that it waits for.
        using PeriodicTimer timer = new(PollInterval);
        while (true)
        {
            RouteTotals totals = route.Metrics.Totals;
            long done = totals.Stored + totals.DeadLetters;
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

    private static async Task<Measurement> StartAsync(CollectorConnection? collector, CancellationToken cancellationToken)
    {
        if (collector is not null)
        {
            await collector.AskAsync(CollectorConnection.Begin, cancellationToken);
        }

        return Measurement.Start();
    }

    private static void Stop(HarnessOptions options, string name, string next)
    {
        if (!options.Wait)
        {
            return;
        }

        Console.Error.WriteLine($"[{name}] Attach the profiler and press Enter: process {Environment.ProcessId}; {next}.");
        Console.ReadLine();
    }
}
