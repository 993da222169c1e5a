using System.Text.Json;
using Messaging.Hosting;
using Messaging.Http.Web.Metrics;

namespace Messaging.Http.Web.Api;

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
    private readonly ITimer _timer;

    public WorkerHistory(IWorkerStatus worker, MetricStore metrics, HttpResponses responses, TimeProvider time)
    {
        _worker = worker;
        _metrics = metrics;
        _responses = responses;
        _time = time;
        StartedAt = time.GetUtcNow();

        // The base of the first increase; routes have counted nothing yet.
        _samples.Add(new WorkerSample(StartedAt, Environment.CpuUsage.TotalTime.TotalSeconds, GC.GetTotalAllocatedBytes(), GC.GetTotalPauseDuration().TotalSeconds, Refused: 0, new Dictionary<string, RouteSample>()));
        _timer = time.CreateTimer(static state => ((WorkerHistory)state!).Sample(), this, Step, Step);
    }

    public DateTimeOffset StartedAt { get; }

    public void Dispose() => _timer.Dispose();

    /// <summary>Percentiles of a route's durations over the last minute.</summary>
    /// <param name="route">The route.</param>
    /// <param name="metric">The histogram.</param>
    /// <param name="durations">Reads the histogram's counts from a sample.</param>
    /// <returns>Null when nothing was measured.</returns>
    public (double P50, double P99)? Percentiles(string route, string metric, Func<RouteSample, long[]?> durations)
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

        return HistogramSeries.Percentile(before, now, 0.5) is { } median ? (median, HistogramSeries.Percentile(before, now, 0.99)!.Value) : null;
    }

    /// <summary>Writes the answer of <c>/api/v1/history</c>: increases within each step and values at its end, the oldest first.</summary>
    public void Write(Utf8JsonWriter json)
    {
        WorkerSample[] samples;
        lock (_gate)
        {
            samples = [.. _samples];
        }

        json.WriteStartObject();
        json.WriteNumber("stepSeconds"u8, Step.TotalSeconds);
        json.WriteTime("end"u8, samples.Length > 0 ? samples[^1].Time : _time.GetUtcNow());
        json.WriteStartObject("runtime"u8);
        WriteIncreases(json, "cpuSeconds", samples, static sample => sample.CpuSeconds);
        WriteIncreases(json, "allocatedBytes", samples, static sample => sample.AllocatedBytes);
        WriteIncreases(json, "gcPauseSeconds", samples, static sample => sample.GcPauseSeconds);
        json.WriteEndObject();
        WriteIncreases(json, "refused", samples, static sample => sample.Refused);
        json.WriteStartObject("routes"u8);
        foreach (string route in samples.Length > 0 ? samples[^1].Routes.Keys : [])
        {
            json.WriteStartObject(route);
            WriteIncreases(json, "received", samples, sample => Of(sample, route)?.Received ?? 0);
            WriteIncreases(json, "done", samples, sample => Of(sample, route)?.Done ?? 0);
            WriteIncreases(json, "duplicates", samples, sample => Of(sample, route)?.Duplicates ?? 0);
            WriteIncreases(json, "returned", samples, sample => Of(sample, route)?.Returned ?? 0);
            WriteIncreases(json, "deadLetters", samples, sample => Of(sample, route)?.DeadLetters ?? 0);
            WriteIncreases(json, "retries", samples, sample => Of(sample, route)?.Retries ?? 0);
            WriteIncreases(json, "refused", samples, sample => Of(sample, route)?.Refused ?? 0);
            WriteValues(json, "inFlight", samples, sample => Of(sample, route)?.InFlight ?? 0);
            WriteValues(json, "oldestAgeSeconds", samples, sample => Of(sample, route)?.OldestAgeSeconds ?? 0);
            WriteValues(json, "breaker", samples, sample => (int)(Of(sample, route)?.Breaker ?? default));
            WriteValues(json, "p50", samples, sample => Of(sample, route)?.P50);
            WriteValues(json, "p99", samples, sample => Of(sample, route)?.P99);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static RouteSample? Of(WorkerSample sample, string route) => sample.Routes.GetValueOrDefault(route);

    private static void WriteIncreases(Utf8JsonWriter json, string name, WorkerSample[] samples, Func<WorkerSample, double> value)
    {
        json.WriteStartArray(name);
        for (int i = 1; i < samples.Length; i++)
        {
            json.WriteNumberValue(ApiJson.Rounded(Math.Max(0, value(samples[i]) - value(samples[i - 1]))));
        }

        json.WriteEndArray();
    }

    private static void WriteValues(Utf8JsonWriter json, string name, WorkerSample[] samples, Func<WorkerSample, double?> value)
    {
        json.WriteStartArray(name);
        foreach (WorkerSample sample in samples.Skip(1))
        {
            if (value(sample) is { } number)
            {
                json.WriteNumberValue(ApiJson.Rounded(number));
            }
            else
            {
                json.WriteNullValue();
            }
        }

        json.WriteEndArray();
    }

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
            Store = FineCounts(WorkerStats.StoreDuration, route.Name),
            P50 = process is null ? null : HistogramSeries.Percentile(last?.Process, process, 0.5),
            P99 = process is null ? null : HistogramSeries.Percentile(last?.Process, process, 0.99),
        };
    }
}
