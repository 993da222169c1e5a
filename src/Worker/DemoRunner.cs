using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources.Channels;
using Quayside.Messaging.Telemetry;

namespace Quayside.Worker;

/// <summary><c>--demo N</c>: publishes generated messages through the channel of the running worker, waits for them and reports.</summary>
internal static class DemoRunner
{
    // The name of the source Channel in RouteStatus.
    private const string Source = "Channel";

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    /// <returns>True when every message was stored.</returns>
    public static async Task<bool> RunAsync(IHost host, int count, CancellationToken stop)
    {
        IMessageWorker worker = host.Services.GetRequiredService<IMessageWorker>();
        string route = FindRoute(host)?.Name
            ?? throw new StartupException(
                "--demo publishes through the channel, but no route has the source Channel: add it with --Routes:archive:Source=Channel,Http.",
                ExitCodes.Configuration);
        TimeProvider time = host.Services.GetRequiredService<TimeProvider>();

        RouteTotals before = worker.GetTotals(route);
        int[] collections = CountCollections();
        long bytes = GC.GetTotalAllocatedBytes(precise: true);
        Stopwatch watch = Stopwatch.StartNew();
        Console.Out.WriteLine($"Archiving {count:N0} messages ...");
        ISampleFeature samples = new WorkerDefinition(Program.AddFeatures).Handlers.OfType<ISampleFeature>().First();
        Task publishing =
            new GeneratedMessages(samples.WriteSample, time).PublishAsync(host.Services.GetRequiredKeyedService<IMessagePublisher>(route), count, stop);
        while (Done(worker.GetTotals(route), before) < count && !stop.IsCancellationRequested && !publishing.IsFaulted)
        {
            await Task.Delay(PollInterval, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        watch.Stop();
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        RouteTotals totals = worker.GetTotals(route);
        long stored = totals.Stored - before.Stored;
        WriteReport(
            FindRoute(host)!, stored, totals.DeadLetters - before.DeadLetters, totals.Returned - before.Returned, watch.Elapsed, bytes,
            CountCollections().Zip(collections, (now, then) => now - then).ToArray());
        return stored == count;
    }

    /// <summary>Suggests to a new user what to do with the running daemon.</summary>
    public static void WriteNextSteps(IHost host)
    {
        string url = host.Services.GetRequiredService<WebServer>().Urls.FirstOrDefault() ?? "http://127.0.0.1:8080";
        Console.Out.WriteLine($$"""

            The worker stays up; Ctrl+C drains and stops it. Try next, in another terminal:
              curl -i {{url}}/messages -H 'Content-Type: application/json' \
                -d '{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"My Product","SiteKey":"Site Key","EventName":"My Event","MessageId":"first"}'
              curl -s {{url}}/healthz/ready
            From a queue into a bucket (AWS credentials from AWS's default chain):
              {{(RuntimeFeature.IsDynamicCodeSupported ? "dotnet run -c Release --project src/Worker --" : Environment.ProcessPath)}} \
                --Routes:archive:Source=Sqs --Sources:Sqs:Queue=my-queue --Routes:archive:Sink=S3 --Sinks:S3:Bucket=my-bucket --Hosting:Url=http://127.0.0.1:0
            """);
    }

    private static RouteStatus? FindRoute(IHost host) =>
        host.Services.GetRequiredService<IWorkerStatus>().GetRoutes().FirstOrDefault(route => route.Sources.Contains(Source));

    private static long Done(RouteTotals now, RouteTotals before) => now.Stored - before.Stored + now.DeadLetters - before.DeadLetters;

    private static void WriteReport(RouteStatus route, long stored, long deadLetters, long returned, TimeSpan elapsed, long bytes, int[] collections)
    {
        long messages = stored + deadLetters;
        string perMessage = messages == 0 ? "-" : $"{bytes / messages:N0}";
        Console.Out.WriteLine($"""

            {(route.HasSink ? "Stored" : "Completed"),-15} {stored:N0} messages in {elapsed.TotalSeconds:N2} s ({stored / elapsed.TotalSeconds:N0} messages/s)
            Dead letters    {deadLetters:N0}; abandoned and redelivered {returned:N0}
            Allocated       {perMessage} bytes per message (publishing and warm-up included)
            Collections     gen0 {collections[0]}, gen1 {collections[1]}, gen2 {collections[2]}
            Objects         {route.Results ?? "none: the route has no sink"}
            AWS calls       {ApiCallReport.Describe(route.Calls, route.Totals.Stored) ?? "none"}
            """);
    }

    private static int[] CountCollections() =>
        [GC.CollectionCount(0) - GC.CollectionCount(1), GC.CollectionCount(1) - GC.CollectionCount(2), GC.CollectionCount(2)];
}
