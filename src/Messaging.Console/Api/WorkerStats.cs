using System.Reflection;
using System.Text.Json;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Recoverability;

namespace Quayside.Messaging.Console.Api;

/// <summary>The current state of the worker as JSON, made at most twice per second for all callers. Threads: any.</summary>
internal sealed class WorkerStats(
    IWorkerStatus worker, MetricStore metrics, WorkerHistory history, WorkerProblems problems, HttpResponses responses, ApiAccess access, TimeProvider time)
{
    public const string ProcessDuration = "messaging.process.duration";
    public const string StoreDuration = "worker.sink.duration";
    public const string Retries = "worker.sink.retries";

    private static readonly TimeSpan Fresh = TimeSpan.FromMilliseconds(500);

    // With the first eight digits of the commit.
    private static readonly string Version =
        Assembly.GetEntryAssembly()?.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion is { } version
            ? version[..Math.Min(version.Length, version.IndexOf('+') is >= 0 and var plus ? plus + 9 : version.Length)]
            : "unknown";

    private readonly Lock _gate = new();
    private (WorkerState State, ReadOnlyMemory<byte> Json)? _made;
    private long _madeAt;

    /// <summary>The answer of <c>/api/v1/stats</c>, as it is and as JSON.</summary>
    public (WorkerState State, ReadOnlyMemory<byte> Json) Get()
    {
        lock (_gate)
        {
            metrics.RecordHistograms();
            if (_made is { } made && time.GetElapsedTime(_madeAt) < Fresh)
            {
                return made;
            }

            metrics.Collect();
            WorkerState state = Read();
            state = state with { Problems = problems.Find(state, history.Read(), history.Conditions.Of) };
            _madeAt = time.GetTimestamp();
            _made = (state, JsonSerializer.SerializeToUtf8Bytes(state, ApiJson.Readable.WorkerState));
            return _made.Value;
        }
    }

    private static string NameOf(BreakerState state) => state switch
    {
        BreakerState.Closed => "closed",
        BreakerState.HalfOpen => "half-open",
        _ => "open",
    };

    private WorkerState Read()
    {
        IReadOnlyList<RouteStatus> routes = worker.GetRoutes();
        DateTime now = time.GetUtcNow().UtcDateTime;
        history.Conditions.Note(routes, now);
        return Read(routes, now);
    }

    private WorkerState Read(IReadOnlyList<RouteStatus> routes, DateTime now) => new(
        Version,
        Environment.ProcessId,
        Environment.MachineName,
        history.StartedAt.UtcDateTime,
        now,
        worker.IsStopping,
        access.HasToken,
        new RuntimeState(
            Environment.ProcessorCount,
            ApiJson.Rounded(Environment.CpuUsage.TotalTime.TotalSeconds),
            GC.GetTotalAllocatedBytes(),
            GC.GetTotalMemory(forceFullCollection: false),
            ApiJson.Rounded(GC.GetTotalPauseDuration().TotalSeconds),
            [.. Enumerable.Range(0, GC.MaxGeneration + 1).Select(GC.CollectionCount)],
            ThreadPool.ThreadCount),
        worker.WaitingDeadLetters is { } waiting
            ? new WaitingState(waiting.Count, waiting.IsMore, waiting.OldestAt?.UtcDateTime, waiting.NewestAt?.UtcDateTime, waiting.ByReason)
            : null,
        new HttpState(
            [.. responses.Counts.Select(
                static pair => new AnswerState(pair.Answer.Route, pair.Answer.Status, pair.Answer.Reason, pair.Answer.IsRefusal, pair.Count))],
            SumBy(metrics.SeriesOf(HttpConnections.ClosedMetric), "worker.reason")),
        [.. routes.Select(Read)]);

    private RouteState Read(RouteStatus route) => new(
        route.Name,
        route.Sources,
        route.Handler,
        route.Sink,
        route.Results,
        route.Form,
        route.IsReady,
        route.IsReceiving,
        route.IsStuck,
        OneLineText.Of(route.Problem),
        [.. route.Warnings.Select(static warning => OneLineText.Of(warning)!)],
        new BreakerReport(
            NameOf(route.Breaker), OneLineText.Of(route.LastFailure), route.BreakerSince.UtcDateTime,
            route.NextProbe is { } next ? ApiJson.Rounded(next.TotalSeconds) : null, route.NextMessageDecides),
        route.Slots,
        route.Limit,
        route.InFlight,
        route.Held,
        route.BytesInFlight,
        ApiJson.Rounded(route.OldestAge.TotalSeconds),
        route.Totals.Received,
        route.Totals.Stored,
        route.Totals.Duplicates,
        route.Totals.Returned,
        route.Totals.DeadLetters,
        route.Totals.Lost - route.Totals.Dropped,
        route.Dropped?.Reasons ?? new Dictionary<string, long>(),
        route.Dropped?.Advice,
        Of("worker.messages.timeouts", route).Sum(static series => series.Value),
        route.LastDeadLetterAt?.UtcDateTime,
        SumBy(Of("worker.messages.dead_letters", route), "worker.reason"),
        history.PercentilesOf(route.Name, ProcessDuration, static sample => sample.Process),
        history.PercentilesOf(route.Name, StoreDuration, static sample => sample.Store),
        SumBy(Of(Retries, route), "error.type"),
        route.Calls.Operations.ToDictionary(static operation => $"{operation.Service} {operation.Name}", route.Calls.Sent),
        RouteEndpoints.StateOf(route.Pause),
        route.InDeadLetterQueue,
        route.DroppedSince?.UtcDateTime,
        route.LastDroppedAt?.UtcDateTime,
        route.LostAt?.UtcDateTime,
        route.DeadLetterQueues,
        route.ProblemEvent,
        OneLineText.Of(route.LastDeadLetter));

    private IEnumerable<MetricSeries> Of(string metric, RouteStatus route) => metrics.SeriesOf(metric).Where(series => series["worker.route"] == route.Name);

    private static Dictionary<string, double> SumBy(IEnumerable<MetricSeries> series, string tag) =>
        series.GroupBy(one => one[tag] ?? "other").ToDictionary(static group => group.Key, static group => group.Sum(static one => one.Value));
}
