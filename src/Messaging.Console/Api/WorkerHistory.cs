using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Metrics;

namespace Quayside.Messaging.Console.Api;

/// <summary>The last 15 minutes of the worker: a sample every 5 s, in memory. Threads: any.</summary>
internal sealed class WorkerHistory : IDisposable
{
    /// <summary>Time between two samples.</summary>
    public static readonly TimeSpan Step = TimeSpan.FromSeconds(5);

    // 15 minutes of increases need one more sample.
    private const int MaxSamples = 181;

    // Percentiles are of the last minute; older samples need no durations.
    private const int SamplesWithDurations = 12;

    private readonly IWorkerStatus _worker;
    private readonly MetricStore _metrics;
    private readonly HttpResponses _responses;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly List<WorkerSample> _samples = [];

    // What Read has made of the samples, until the next one.
    private HistoryState? _read;
    private readonly ITimer _timer;

    public WorkerHistory(IWorkerStatus worker, MetricStore metrics, HttpResponses responses, TimeProvider time)
    {
        _worker = worker;
        _metrics = metrics;
        _responses = responses;
        _time = time;
        StartedAt = time.GetUtcNow();

        // The base of the first increase; routes have counted nothing yet.
        _samples.Add(new WorkerSample(
            StartedAt,
            Environment.CpuUsage.TotalTime.TotalSeconds,
            GC.GetTotalAllocatedBytes(),
            GC.GetTotalPauseDuration().TotalSeconds,
            Refused: 0,
            new Dictionary<string, RouteSample>()));
        _timer = time.CreateTimer(static state => ((WorkerHistory)state!).Sample(), this, Step, Step);
    }

    public DateTimeOffset StartedAt { get; }

    public void Dispose() => _timer.Dispose();

    /// <summary>Percentiles of a route's durations over the last minute.</summary>
    /// <param name="route">The route.</param>
    /// <param name="metric">The histogram.</param>
    /// <param name="durations">Reads the histogram's counts from a sample.</param>
    /// <returns>Null when nothing was measured.</returns>
    public Percentiles? PercentilesOf(string route, string metric, Func<RouteSample, long[]?> durations)
    {
        if (FineCounts(metric, route) is not { } now)
        {
            return null;
        }

        long[]? before;
        lock (_gate)
        {
            // A sample without counts is older than the histogram, which began at zero.
            before = Of(_samples[Math.Max(0, _samples.Count - SamplesWithDurations)], route) is { } oldest ? durations(oldest) : null;
        }

        return HistogramSeries.Percentile(before, now, 0.5) is { } median
            ? new Percentiles(Math.Round(median, 9), Math.Round(HistogramSeries.Percentile(before, now, 0.99)!.Value, 9))
            : null;
    }

    /// <summary>The samples up to now.</summary>
    public HistoryState Read()
    {
        lock (_gate)
        {
            return _read ??= Read([.. _samples]);
        }
    }

    private HistoryState Read(WorkerSample[] samples) => new(
        Step.TotalSeconds,
        samples[^1].Time.UtcDateTime,
        new RuntimeHistory(
            Increases(samples, static sample => sample.CpuSeconds),
            Increases(samples, static sample => sample.AllocatedBytes),
            Increases(samples, static sample => sample.GcPauseSeconds)),
        Increases(samples, static sample => sample.Refused),
        samples[^1].Routes.Keys.ToDictionary(static route => route, route => Read(samples, route)));

    private static RouteHistory Read(WorkerSample[] samples, string route)
    {
        RouteSample?[] own = [.. samples.Select(sample => Of(sample, route))];
        return new RouteHistory(
            Increases(own, static sample => sample?.Received ?? 0),
            Increases(own, static sample => sample?.Done ?? 0),
            Increases(own, static sample => sample?.Duplicates ?? 0),
            Increases(own, static sample => sample?.Returned ?? 0),
            Increases(own, static sample => sample?.DeadLetters ?? 0),
            Increases(own, static sample => sample?.Retries ?? 0),
            Increases(own, static sample => sample?.Refused ?? 0),
            Values(own, static sample => sample?.InFlight ?? 0),
            Values(own, static sample => sample?.OldestAgeSeconds ?? 0),
            Values(own, static sample => (int)(sample?.Breaker ?? default)),
            Values(own, static sample => sample?.P50),
            Values(own, static sample => sample?.P99),
            Values(own, static sample => sample?.StoreP50),
            Values(own, static sample => sample?.StoreP99));
    }

    private static RouteSample? Of(WorkerSample sample, string route) => sample.Routes.GetValueOrDefault(route);

    private static double[] Increases<T>(T[] samples, Func<T, double> value) =>
        [.. samples.Zip(samples.Skip(1), (before, after) => ApiJson.Rounded(Math.Max(0, value(after) - value(before))))];

    private static double?[] Values(RouteSample?[] samples, Func<RouteSample?, double?> value) =>
        [.. samples.Skip(1).Select(sample => value(sample) is { } number ? ApiJson.Rounded(number) : (double?)null)];

    private long[]? FineCounts(string metric, string route) => _metrics.SeriesOf(metric)
        .OfType<HistogramSeries>()
        .Where(series => series["worker.route"] == route)
        .Select(series => series.FineCounts())
        .Aggregate((long[]?)null, (sum, counts) => sum is null ? counts : [.. sum.Zip(counts, (left, right) => left + right)]);

    private void Sample()
    {
        IReadOnlyList<RouteStatus> routes = _worker.GetRoutes();
        ILookup<string?, long> refused = _responses.Counts.Where(pair => pair.Answer.IsRefusal).ToLookup(pair => pair.Answer.Route, pair => pair.Count);
        lock (_gate)
        {
            _read = null;
            WorkerSample? last = _samples.LastOrDefault();
            _samples.Add(new WorkerSample(
                _time.GetUtcNow(),
                Environment.CpuUsage.TotalTime.TotalSeconds,
                GC.GetTotalAllocatedBytes(),
                GC.GetTotalPauseDuration().TotalSeconds,
                refused[null].Sum(),
                routes.ToDictionary(route => route.Name, route => Sample(route, refused[route.Name].Sum(), last?.Routes.GetValueOrDefault(route.Name)))));
            if (_samples.Count > MaxSamples)
            {
                _samples.RemoveAt(0);
            }

            foreach (RouteSample old in _samples.Count > SamplesWithDurations ? _samples[^(SamplesWithDurations + 1)].Routes.Values : [])
            {
                old.Process = null;
                old.Store = null;
            }
        }
    }

    private RouteSample Sample(RouteStatus route, long refused, RouteSample? last)
    {
        long[]? process = FineCounts(WorkerStats.ProcessDuration, route.Name);
        long[]? store = FineCounts(WorkerStats.StoreDuration, route.Name);
        return new RouteSample(
            route.Totals.Received,
            route.Totals.Stored,
            route.Totals.Duplicates,
            route.Totals.Returned,
            route.Totals.DeadLetters,
            (long)_metrics.SeriesOf(WorkerStats.Retries).Where(series => series["worker.route"] == route.Name).Sum(series => series.Value),
            refused,
            route.InFlight,
            route.OldestAge.TotalSeconds,
            route.Breaker)
        {
            Process = process,
            Store = store,
            P50 = process is null ? null : HistogramSeries.Percentile(last?.Process, process, 0.5),
            P99 = process is null ? null : HistogramSeries.Percentile(last?.Process, process, 0.99),
            StoreP50 = store is null ? null : HistogramSeries.Percentile(last?.Store, store, 0.5),
            StoreP99 = store is null ? null : HistogramSeries.Percentile(last?.Store, store, 0.99),
        };
    }
}

/// <summary>The answer of <c>/api/v1/history</c>: increases within each step and values at its end, the oldest first.</summary>
internal sealed record HistoryState(
    double StepSeconds, DateTime End, RuntimeHistory Runtime, double[] Refused, IReadOnlyDictionary<string, RouteHistory> Routes);

internal sealed record RuntimeHistory(double[] CpuSeconds, double[] AllocatedBytes, double[] GcPauseSeconds);

internal sealed record RouteHistory(
    double[] Received,
    double[] Done,
    double[] Duplicates,
    double[] Returned,
    double[] DeadLetters,
    double[] Retries,
    double[] Refused,
    double?[] InFlight,
    double?[] OldestAgeSeconds,
    double?[] Breaker,
    double?[] P50,
    double?[] P99,
    double?[] StoreP50,
    double?[] StoreP99);
