using System.Diagnostics;
using System.Globalization;
using System.Net.Http.Json;
using Benchmarks.EndToEnd.Server;
using Benchmarks.EndToEnd;
using Benchmarks.Reports;

namespace Benchmarks.Native;

/// <summary>Measures builds of the daemon in turns, against one server of queues and objects in a process of its own.</summary>
internal sealed class NativeRun : IDisposable
{
    // Short compared with a start, and rare enough not to disturb it.
    private static readonly TimeSpan StartPoll = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan PassPoll = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    // A small load: a burst of messages a second, then nothing.
    private const int SmallBursts = 20;
    private const int MessagesPerBurst = 100;
    private static readonly TimeSpan BurstEvery = TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan Rest = TimeSpan.FromSeconds(10);

    // Tiered compilation has settled after as many passes.
    private const int WarmUps = 5;

    private readonly ChildProcess _server;
    private readonly HttpClient _http = new();
    private readonly Uri _endpoint;

    private NativeRun(IReadOnlyList<WorkerBuild> builds, ChildProcess server, Uri endpoint)
    {
        Builds = builds;
        _server = server;
        _endpoint = endpoint;
    }

    public IReadOnlyList<WorkerBuild> Builds { get; }

    public static async Task<NativeRun> StartAsync(IReadOnlyList<WorkerBuild> builds, CancellationToken cancellationToken)
    {
        ChildProcess server = ChildProcess.Start(ServerProcess.Arguments(putMilliseconds: 0), [("DOTNET_gcConcurrent", "0")]);
        return new NativeRun(builds, server, new Uri($"http://127.0.0.1:{await server.ReadLineAsync(Limit, cancellationToken)}"));
    }

    /// <returns>Milliseconds from the start of the process to the first stored message, the median of each build.</returns>
    public async Task<double[]> MeasureStartsAsync(int launches, CancellationToken cancellationToken)
    {
        List<double>[] samples = [.. Builds.Select(_ => new List<double>())];
        // One more, which brings the files into the page cache.
        for (int launch = -1; launch < launches; launch++)
        {
            for (int i = 0; i < Builds.Count; i++)
            {
                string queue = string.Create(CultureInfo.InvariantCulture, $"{Builds[i].Name}-start-{launch + 1}");
                await FillAsync(queue, messages: 1, cancellationToken);
                long started = Stopwatch.GetTimestamp();
                using WorkerRun worker = new(Builds[i], _endpoint, queue);
                await WaitAsync(worker, queue, totals => totals.Stored == totals.Messages, StartPoll, cancellationToken);
                if (launch >= 0)
                {
                    samples[i].Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                }
            }
        }

        return [.. samples.Select(Medians.Of)];
    }

    /// <returns>Microseconds of processor time per message, and MiB of resident memory after a pass: the medians of each build.</returns>
    public async Task<(double[] Microseconds, double[] Resident)> MeasurePassesAsync(int messages, int passes, CancellationToken cancellationToken)
    {
        List<double>[] microseconds = [.. Builds.Select(_ => new List<double>())];
        List<double>[] resident = [.. Builds.Select(_ => new List<double>())];
        List<WorkerRun> workers = [];
        try
        {
            foreach (WorkerBuild build in Builds)
            {
                workers.Add(new WorkerRun(build, _endpoint, build.Name));
            }

            for (int pass = -WarmUps; pass < passes; pass++)
            {
                for (int i = 0; i < Builds.Count; i++)
                {
                    TimeSpan before = workers[i].ProcessorTime;
                    await FillAsync(Builds[i].Name, messages, cancellationToken);
                    await WaitAsync(workers[i], Builds[i].Name, totals => totals.Deleted == totals.Messages, PassPoll, cancellationToken);
                    if (pass >= 0)
                    {
                        microseconds[i].Add((workers[i].ProcessorTime - before).TotalMicroseconds / messages);
                        resident[i].Add(workers[i].Memory.ResidentMiB);
                    }
                }
            }
        }
        finally
        {
            workers.ForEach(worker => worker.Dispose());
        }

        return ([.. microseconds.Select(Medians.Of)], [.. resident.Select(Medians.Of)]);
    }

    /// <summary>
    /// Starts each build with the settings of its own and sends it a small load: 2,000 messages within 10 s, 100 at a time; then nothing for 10 s.
    /// </summary>
    /// <returns>The memory of each build at rest, after the load.</returns>
    public async Task<ProcessMemory[]> MeasureSmallLoadAsync(CancellationToken cancellationToken)
    {
        List<ProcessMemory> memory = [];
        foreach (WorkerBuild build in Builds)
        {
            string queue = $"{build.Name}-small";
            using WorkerRun worker = new(build, _endpoint, queue);
            for (int burst = 0; burst < SmallBursts; burst++)
            {
                await FillAsync(queue, MessagesPerBurst, cancellationToken);
                await WaitAsync(worker, queue, totals => totals.Deleted == totals.Messages, PassPoll, cancellationToken);
                await Task.Delay(BurstEvery, cancellationToken);
            }

            await Task.Delay(Rest, cancellationToken);
            memory.Add(worker.Memory);
        }

        return [.. memory];
    }

    public void Dispose()
    {
        _server.Dispose();
        _http.Dispose();
    }

    private async Task FillAsync(string queue, int messages, CancellationToken cancellationToken)
    {
        using HttpResponseMessage filled =
            await _http.GetAsync(new Uri(_endpoint, string.Create(CultureInfo.InvariantCulture, $"/control/fill/{queue}/{messages}")), cancellationToken);
        filled.EnsureSuccessStatusCode();
    }

    private async Task WaitAsync(WorkerRun worker, string queue, Func<QueueTotals, bool> isDone, TimeSpan poll, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        while (true)
        {
            QueueTotals totals =
                (await _http.GetFromJsonAsync(new Uri(_endpoint, $"/control/totals/{queue}"), EndToEndJson.Default.QueueTotals, cancellationToken))!;
            if (totals.Wrong > 0)
            {
                throw new InvalidOperationException($"{queue}: {totals.Wrong} of {totals.Messages} messages are stored wrongly.");
            }

            if (isDone(totals))
            {
                return;
            }

            if (worker.HasExited || Stopwatch.GetElapsedTime(started) > Limit)
            {
                throw new InvalidOperationException(
                    $"{queue}: {totals.Stored} of {totals.Messages} messages are stored, then the worker "
                        + $"{(worker.HasExited ? "ended; its errors are above" : "stood still")}.");
            }

            await Task.Delay(poll, cancellationToken);
        }
    }
}
