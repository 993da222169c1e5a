using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Http.Web.Metrics;

namespace Benchmarks.Walk;

/// <summary>Sends messages through the counted worker: its own process, real sources and sinks, this process's SQS and S3.</summary>
internal static class WalkRun
{
    /// <summary>The first argument of the worker's process; endpoint, queue and number of sites follow.</summary>
    public const string Verb = "walk-child";

    private const int InFlight = 64;
    private const string Queue = "walk";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(50);

    // After the last delete was answered, its slot is still to be returned.
    private static readonly TimeSpan Rest = TimeSpan.FromMilliseconds(300);

    // Those of the worker's runtimeconfig.json.
    private static readonly (string Name, string Value)[] Environment = [("DOTNET_gcConcurrent", "0"), ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0")];

    /// <exception cref="InvalidOperationException">The worker did not finish, or lost a message.</exception>
    public static async Task<WalkResult> MeasureAsync(int messages, CancellationToken cancellationToken)
    {
        using CountedProgram program = new();
        IReadOnlyList<CountedSite> sites = program.Sites;
        using MessageServer server = new();
        _ = server.RunAsync();
        Uri endpoint = new($"http://127.0.0.1:{server.Port}");
        using ChildProcess worker = ChildProcess.StartOther(program.Program, [Verb, endpoint.AbsoluteUri, Queue, sites.Count.ToString(CultureInfo.InvariantCulture)], Environment);
        using HttpClient http = new();

        // Pools fill, connections open.
        await PassAsync(http, endpoint, messages, cancellationToken);
        WalkSample before = await SampleAsync(worker, cancellationToken);
        QueueTotals totals = await PassAsync(http, endpoint, messages, cancellationToken);
        WalkSample after = await SampleAsync(worker, cancellationToken);
        return new WalkResult(
            InFlight,
            totals,
            [.. sites.Select((site, index) => new SiteCount(site, after.Counts[index] - before.Counts[index]))],
            after.Bytes - before.Bytes,
            after.WorkItems - before.WorkItems);
    }

    public static async Task<int> RunChildAsync(string endpoint, string queue, string sites)
    {
        Task work = Task.Run(() => WorkerLoop.RunAsync(new ClientSettings(ClientKind.WorkerDirect, new Uri(endpoint), queue, InFlight), EndDurations));
        Task asked = Task.Factory.StartNew(() => Answer(int.Parse(sites, CultureInfo.InvariantCulture)), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await await Task.WhenAny(work, asked);
        return 0;
    }

    // As of a worker that nothing has watched for 15 minutes: who reads the metrics, and how, is no part of the way.
    private static void EndDurations(IHost host) => host.Services.GetRequiredService<MetricStore>().EndRecording();

    private static void Answer(int sites)
    {
        while (Console.In.ReadLine() is not null)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(WalkSample.Take(sites)));
        }
    }

    private static async Task<WalkSample> SampleAsync(ChildProcess worker, CancellationToken cancellationToken)
    {
        await Task.Delay(Rest, cancellationToken);
        string line = await worker.AskAsync(Limit, cancellationToken);

        // The worker's log goes to the same output.
        while (!line.StartsWith('{'))
        {
            await Console.Error.WriteLineAsync(line);
            line = await worker.ReadLineAsync(Limit, cancellationToken);
        }

        return JsonSerializer.Deserialize<WalkSample>(line)!;
    }

    private static async Task<QueueTotals> PassAsync(HttpClient http, Uri endpoint, int messages, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(Limit);
        using (HttpResponseMessage filled = await http.GetAsync(new Uri(endpoint, $"/control/fill/{Queue}/{messages}"), limit.Token))
        {
            filled.EnsureSuccessStatusCode();
        }

        while (true)
        {
            QueueTotals totals = (await http.GetFromJsonAsync(new Uri(endpoint, $"/control/totals/{Queue}"), EndToEndJson.Default.QueueTotals, limit.Token))!;
            if (totals.Deleted == totals.Messages)
            {
                return totals.Stored == messages && totals.Wrong == 0
                    ? totals
                    : throw new InvalidOperationException($"Of {messages} messages {totals.Stored} are stored as sent, {totals.Wrong} wrongly.");
            }

            await Task.Delay(Poll, limit.Token);
        }
    }
}
