using System.Reflection;
using System.Text.Json;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Api;

/// <summary>The current state of the worker as JSON, made at most twice per second for all callers. Threads: any.</summary>
internal sealed class WorkerStats(
    IWorkerStatus worker, MetricStore metrics, WorkerHistory history, HttpResponses responses, ApiAccess access, RedriveCatalog redrives,
    ConsoleOptions options, WebOptions web, TimeProvider time)
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
            _madeAt = time.GetTimestamp();
            _made = (state, JsonSerializer.SerializeToUtf8Bytes(state, ApiJson.Stats.WorkerState));
            return _made.Value;
        }
    }

    private WorkerState Read()
    {
        RouteStatus[] routes = [.. worker.GetRoutes().Select(route => WithCommands(route, redrives, web.Url))];
        return new()
        {
            Version = Version,
            Process = Environment.ProcessId,
            Machine = Environment.MachineName,
            StartedAt = history.StartedAt.UtcDateTime,
            Time = time.GetUtcNow().UtcDateTime,
            Stopping = worker.IsStopping,
            CanChange = access.HasToken,
            DocsUrl = string.IsNullOrEmpty(options.DocsUrl) ? null : options.DocsUrl,
            Runtime = new RuntimeState(
                Environment.ProcessorCount,
                ApiJson.Rounded(Environment.CpuUsage.TotalTime.TotalSeconds),
                GC.GetTotalAllocatedBytes(),
                GC.GetTotalMemory(forceFullCollection: false),
                ApiJson.Rounded(GC.GetTotalPauseDuration().TotalSeconds),
                [.. Enumerable.Range(0, GC.MaxGeneration + 1).Select(GC.CollectionCount)],
                ThreadPool.ThreadCount),
            WaitingDeadLetters = worker.WaitingDeadLetters,
            Http = new HttpState(
                [.. responses.Counts.Select(
                    static pair => new AnswerState(pair.Answer.Route, pair.Answer.Status, pair.Answer.Reason, pair.Answer.IsRefusal, pair.Count))],
                SumBy(metrics.SeriesOf(HttpConnections.ClosedMetric), "worker.reason")),
            Routes = routes,
            RedriveSources = [.. routes.SelectMany(static route => route.DeadLetterQueues).Distinct().Where(source => redrives.NameOf(source) is not null)],
            Measured = routes.ToDictionary(static route => route.Name, route => Measure(route.Name)),
            Problems = worker.WaitingDeadLetters is { Count: > 0 } waiting ? [ProblemOf(waiting)] : [],
        };
    }

    /// <summary>A problem that a command ends says which one; where the source of dead letters has no redrive, what else to do.</summary>
    internal static RouteStatus WithCommands(RouteStatus route, RedriveCatalog redrives, Uri worker)
    {
        string[] redrive = [
            .. route.DeadLetterQueues.Select(redrives.NameOf).OfType<string>().Select(
                store => $"{PrintedCommand.Program} redrive --from {store} --route {route.Name}{PrintedCommand.Config} --dry-run")];
        return route with
        {
            Problems = [.. route.Problems.Select(problem => problem.Event switch
            {
                1016 => problem with { Setting = PrintedCommand.Of($"resume {route.Name}", worker) },
                5001 when redrive.Length == 0 => problem with
                {
                    Advice = "Fix the cause, then send them again with the tools of their queue: its source has no redrive.",
                },
                5001 => problem with
                {
                    Advice = "Look into the queue and fix the cause. Then redrive them: on the worker's page, or with the command, without --dry-run.",
                    Setting = string.Join("; ", redrive),
                },
                _ => problem,
            })],
        };
    }

    /// <summary>Dead letters in the folder are a state of the worker, whichever process wrote them.</summary>
    private RouteProblem ProblemOf(WaitingDeadLetters waiting)
    {
        string[] reasons = [.. waiting.ByReason.OrderByDescending(static reason => reason.Value).Select(static reason => reason.Key)];
        string byReason = string.Join(", ", reasons.Select(reason => $"{reason} ({waiting.ByReason[reason]:N0})"));
        bool isOne = waiting is { Count: 1, IsMore: false };
        return new()
        {
            Event = 5001,
            Severity = ProblemSeverity.Warning,
            Text = $"{(waiting.IsMore ? "more than " : string.Empty)}{waiting.Count:N0} {(isOne ? "dead letter waits" : "dead letters wait")}: {byReason}.",
            Advice = "Look at one of each reason. Fix the cause and redrive them; where the message itself is wrong, edit its .body file before. Discard those "
                + "that are not needed.",
            Setting = PrintedCommand.Of(reasons is [var only] ? $"dead-letters redrive --reason {only} --dry-run" : "dead-letters groups", web.Url),
            Since = waiting.OldestAt,
        };
    }

    private RouteMeasures Measure(string route) => new(
        history.PercentilesOf(route, ProcessDuration, static sample => sample.Process),
        history.PercentilesOf(route, StoreDuration, static sample => sample.Store),
        Of("worker.messages.timeouts", route).Sum(static series => series.Value),
        SumBy(Of("worker.messages.dead_letters", route), "worker.reason"),
        SumBy(Of(Retries, route), "error.type"));

    private IEnumerable<MetricSeries> Of(string metric, string route) => metrics.SeriesOf(metric).Where(series => series["worker.route"] == route);

    private static Dictionary<string, double> SumBy(IEnumerable<MetricSeries> series, string tag) =>
        series.GroupBy(one => one[tag] ?? "other").ToDictionary(static group => group.Key, static group => group.Sum(static one => one.Value));
}
