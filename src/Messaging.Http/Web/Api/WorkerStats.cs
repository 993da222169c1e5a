using System.Reflection;
using System.Text.Json;
using Messaging.DeadLetters;
using Messaging.Hosting;
using Messaging.Http.Web.Metrics;
using Messaging.Recoverability;

namespace Messaging.Http.Web.Api;

/// <summary>The current state of the worker as JSON, made at most twice per second for all callers. Threads: any.</summary>
internal sealed class WorkerStats(IWorkerStatus worker, MetricStore metrics, WorkerHistory history, HttpResponses responses, ApiAccess access, TimeProvider time)
{
    public const string ProcessDuration = "messaging.process.duration";
    public const string StoreDuration = "worker.sink.duration";
    public const string Retries = "worker.sink.retries";

    private static readonly TimeSpan Fresh = TimeSpan.FromMilliseconds(500);

    // With the first eight digits of the commit.
    private static readonly string Version = Assembly.GetEntryAssembly()?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion is { } version
        ? version[..Math.Min(version.Length, version.IndexOf('+') is >= 0 and var plus ? plus + 9 : version.Length)]
        : "unknown";

    private readonly Lock _gate = new();
    private ReadOnlyMemory<byte> _made;
    private long _madeAt;

    /// <summary>The answer of <c>/api/v1/stats</c>.</summary>
    public ReadOnlyMemory<byte> Get()
    {
        lock (_gate)
        {
            metrics.RecordHistograms();
            if (_made.IsEmpty || time.GetElapsedTime(_madeAt) >= Fresh)
            {
                metrics.Collect();
                _made = ApiJson.Make(Write);
                _madeAt = time.GetTimestamp();
            }

            return _made;
        }
    }

    private static string NameOf(BreakerState state) => state switch
    {
        BreakerState.Closed => "closed",
        BreakerState.HalfOpen => "half-open",
        _ => "open",
    };

    private void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("version"u8, Version);
        json.WriteNumber("process"u8, Environment.ProcessId);
        json.WriteString("machine"u8, Environment.MachineName);
        json.WriteTime("startedAt"u8, history.StartedAt);
        json.WriteTime("time"u8, time.GetUtcNow());
        json.WriteBoolean("stopping"u8, worker.IsStopping);
        json.WriteBoolean("canChange"u8, access.HasToken);
        json.WriteStartObject("runtime"u8);
        json.WriteNumber("cores"u8, Environment.ProcessorCount);
        json.WriteNumber("cpuSeconds"u8, ApiJson.Rounded(Environment.CpuUsage.TotalTime.TotalSeconds));
        json.WriteNumber("allocatedBytes"u8, GC.GetTotalAllocatedBytes());
        json.WriteNumber("heapBytes"u8, GC.GetTotalMemory(forceFullCollection: false));
        json.WriteNumber("gcPauseSeconds"u8, ApiJson.Rounded(GC.GetTotalPauseDuration().TotalSeconds));
        json.WriteStartArray("collections"u8);
        for (int generation = 0; generation <= GC.MaxGeneration; generation++)
        {
            json.WriteNumberValue(GC.CollectionCount(generation));
        }

        json.WriteEndArray();
        json.WriteNumber("threads"u8, ThreadPool.ThreadCount);
        json.WriteEndObject();
        WriteWaiting(json, worker.WaitingDeadLetters);
        json.WriteStartObject("http"u8);
        json.WriteStartArray("answers"u8);
        foreach ((HttpAnswer answer, long count) in responses.Counts)
        {
            json.WriteStartObject();
            json.WriteString("route"u8, answer.Route);
            json.WriteNumber("status"u8, answer.Status);
            json.WriteString("reason"u8, answer.Reason);
            json.WriteBoolean("refusal"u8, answer.IsRefusal);
            json.WriteNumber("count"u8, count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        WriteCounts(json, "connectionsClosed", metrics.SeriesOf(HttpConnections.ClosedMetric).Select(series => (series["worker.reason"], series.Value)));
        json.WriteEndObject();
        json.WriteStartArray("routes"u8);
        foreach (RouteStatus route in worker.GetRoutes())
        {
            Write(json, route);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private void Write(Utf8JsonWriter json, RouteStatus route)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, route.Name);
        json.WriteStartArray("sources"u8);
        foreach (string source in route.Sources)
        {
            json.WriteStringValue(source);
        }

        json.WriteEndArray();
        json.WriteString("handler"u8, route.Handler);
        json.WriteString("sink"u8, route.Sink);
        json.WriteString("results"u8, route.Results);
        json.WriteString("form"u8, route.Form);
        json.WriteBoolean("ready"u8, route.IsReady);
        json.WriteBoolean("receiving"u8, route.IsReceiving);
        json.WriteBoolean("stuck"u8, route.IsStuck);
        json.WriteString("problem"u8, OneLineText.Of(route.Problem));
        json.WriteStartArray("warnings"u8);
        foreach (string warning in route.Warnings)
        {
            json.WriteStringValue(OneLineText.Of(warning));
        }

        json.WriteEndArray();
        json.WriteStartObject("breaker"u8);
        json.WriteString("state"u8, NameOf(route.Breaker));
        json.WriteString("lastFailure"u8, OneLineText.Of(route.LastFailure));
        json.WriteTime("since"u8, route.BreakerSince);
        json.WriteNumberOrNull("nextProbeSeconds"u8, route.NextProbe?.TotalSeconds);
        json.WriteBoolean("awaitsMessage"u8, route.AwaitsMessage);
        json.WriteEndObject();
        json.WriteNumber("slots"u8, route.Slots);
        json.WriteNumber("limit"u8, route.Limit);
        json.WriteNumber("inFlight"u8, route.InFlight);
        json.WriteNumber("held"u8, route.Held);
        json.WriteNumber("bytesInFlight"u8, route.BytesInFlight);
        json.WriteNumber("oldestAgeSeconds"u8, ApiJson.Rounded(route.OldestAge.TotalSeconds));
        json.WriteNumber("received"u8, route.Totals.Received);
        json.WriteNumber("done"u8, route.Totals.Stored);
        json.WriteNumber("duplicates"u8, route.Totals.Duplicates);
        json.WriteNumber("returned"u8, route.Totals.Returned);
        json.WriteNumber("deadLetters"u8, route.Totals.DeadLetters);
        json.WriteNumber("lost"u8, route.Totals.Lost - route.Totals.Dropped);
        WriteCounts(json, "dropped", route.Dropped?.Reasons.Select(static reason => ((string?)reason.Key, (double)reason.Value)) ?? []);
        json.WriteString("droppedAdvice"u8, route.Dropped?.Advice);
        json.WriteNumber("timeouts"u8, Of("worker.messages.timeouts", route).Sum(series => series.Value));
        json.WriteTimeOrNull("lastDeadLetterAt"u8, route.LastDeadLetterAt);
        WriteCounts(json, "deadLettersByReason", Of("worker.messages.dead_letters", route).Select(series => (series["worker.reason"], series.Value)));
        WritePercentiles(json, "process", history.Percentiles(route.Name, ProcessDuration, static sample => sample.Process));
        WritePercentiles(json, "store", history.Percentiles(route.Name, StoreDuration, static sample => sample.Store));
        WriteCounts(json, "retries", Of(Retries, route).Select(series => (series["error.type"], series.Value)));
        WriteCounts(json, "calls", route.Calls.Operations.Select(operation => ((string?)$"{operation.Service} {operation.Name}", (double)route.Calls.Sent(operation))));
        json.WriteNumber("costUsd"u8, Math.Round(route.Calls.Cost(), 9));
        json.WriteEndObject();
    }

    private IEnumerable<MetricSeries> Of(string metric, RouteStatus route) => metrics.SeriesOf(metric).Where(series => series["worker.route"] == route.Name);

    private static void WriteWaiting(Utf8JsonWriter json, WaitingDeadLetters? waiting)
    {
        if (waiting is null)
        {
            json.WriteNull("waitingDeadLetters"u8);
            return;
        }

        json.WriteStartObject("waitingDeadLetters"u8);
        json.WriteNumber("count"u8, waiting.Count);
        json.WriteBoolean("isMore"u8, waiting.IsMore);
        json.WriteTimeOrNull("oldestAt"u8, waiting.OldestAt);
        json.WriteTimeOrNull("newestAt"u8, waiting.NewestAt);
        WriteCounts(json, "byReason", waiting.ByReason.Select(pair => ((string?)pair.Key, (double)pair.Value)));
        json.WriteEndObject();
    }

    private static void WriteCounts(Utf8JsonWriter json, string name, IEnumerable<(string? Key, double Value)> counts)
    {
        json.WriteStartObject(name);
        foreach ((string? key, double value) in counts)
        {
            json.WriteNumber(key ?? "other", value);
        }

        json.WriteEndObject();
    }

    private static void WritePercentiles(Utf8JsonWriter json, string name, (double P50, double P99)? percentiles)
    {
        if (percentiles is not { } found)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartObject(name);
        json.WriteNumber("p50"u8, Math.Round(found.P50, 9));
        json.WriteNumber("p99"u8, Math.Round(found.P99, 9));
        json.WriteEndObject();
    }
}
