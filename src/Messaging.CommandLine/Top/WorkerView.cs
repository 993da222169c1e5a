using System.Text.Json.Serialization;
using Quayside.Messaging.Http.Web.Api;

namespace Quayside.Messaging.CommandLine.Top;

/// <summary>A worker's state from its API, and the changes since the previous state.</summary>
/// <param name="now">The state.</param>
/// <param name="before">The previous state; null without one.</param>
internal sealed class WorkerView(WorkerState now, WorkerState? before)
{
    // Counts of another process are not comparable.
    private readonly WorkerState? _before = before?.StartedAt == now.StartedAt ? before : null;

    public DateTime Time => now.Time;

    public TimeSpan Uptime => now.Time - now.StartedAt;

    public bool IsStopping => now.Stopping;

    public bool IsReady => !IsStopping && Routes.All(static route => route.IsReady);

    public string Title => $"worker {now.Version}, process {now.Process} on {now.Machine}";

    /// <summary>Processor time, 1 = one core; null without a previous state.</summary>
    public double? Cores => PerSecond(now.Runtime.CpuSeconds, _before?.Runtime.CpuSeconds);

    /// <summary>Bytes allocated per message received since the previous state; null without one.</summary>
    public double? BytesPerMessage =>
        PerSecond(now.Runtime.AllocatedBytes, _before?.Runtime.AllocatedBytes) / Routes.Sum(static route => route.Received) is { } bytes && double.IsFinite(bytes) ? bytes : null;

    /// <summary>Seconds of garbage collection pauses per second; null without a previous state.</summary>
    public double? GcPauses => PerSecond(now.Runtime.GcPauseSeconds, _before?.Runtime.GcPauseSeconds);

    /// <summary>What the operator must know, the worst first.</summary>
    public IReadOnlyList<ProblemState> Problems => now.Problems ?? [];

    /// <summary>What else is worth a line.</summary>
    public IEnumerable<string> Notes
    {
        get
        {
            if (now.Problems is null)
            {
                yield return "This worker is older than the command and does not list its problems: see its page.";
            }

            if (now.Http.ConnectionsClosed.Count > 0)
            {
                yield return $"HTTP connections closed by the worker since the start: {string.Join(", ", now.Http.ConnectionsClosed.Select(static count => $"{count.Key} {count.Value:N0}"))}";
            }
        }
    }

    public IReadOnlyList<RouteView> Routes => [.. now.Routes.Select(route => new RouteView(this, route, _before?.Routes.FirstOrDefault(other => other.Name == route.Name)))];

    /// <summary>Requests of a route that are refused per second; null without a previous state.</summary>
    public double? RefusedPerSecond(string route) =>
        PerSecond(Refusals(now, route).Sum(static answer => answer.Count), _before is null ? null : Refusals(_before, route).Sum(static answer => answer.Count));

    /// <summary>The increase of a number per second; null without a previous state.</summary>
    public double? PerSecond(double after, double? earlier) => _before is { } state && (Time - state.Time).TotalSeconds is > 0 and var seconds ? (after - earlier) / seconds : null;

    private static IEnumerable<AnswerState> Refusals(WorkerState state, string? route) => state.Http.Answers.Where(answer => answer.Refusal && answer.Route == route);
}

/// <summary>A route in a <see cref="WorkerView"/>.</summary>
internal sealed class RouteView(WorkerView worker, RouteState now, RouteState? before)
{
    public string Name => now.Name;

    public string Path => string.Join(" → ", new[] { string.Join(", ", now.Sources), now.Handler, now.Sink }.Where(static part => !string.IsNullOrEmpty(part)));

    public bool IsReady => now.Ready;

    public bool IsPaused => now.Pause is not null;

    /// <summary>The problem in a word or two; "ok" without one.</summary>
    public string State => now.Stuck ? "stuck" : now.Pause is not null ? "paused" : IsBroken ? $"breaker {now.Breaker.State}" : now.Problem is not null ? "problem" : now.Receiving ? "ok" : "not receiving";

    /// <summary>Messages received per second; null without a previous state.</summary>
    public double? Received => worker.PerSecond(now.Received, before?.Received);

    public double? Done => worker.PerSecond(now.Done, before?.Done);

    /// <summary>HTTP requests refused per second; null without a previous state.</summary>
    public double? Refused => worker.RefusedPerSecond(Name);

    public long DeadLetters => now.DeadLetters;

    public long TotalReceived => now.Received;

    public long TotalDone => now.Done;

    public string Load => $"{now.InFlight}/{now.Slots}";

    public double OldestAgeSeconds => now.OldestAgeSeconds;

    public Percentiles? Process => now.Process;

    public Percentiles? Store => now.Store;

    private bool IsBroken => now.Breaker.State != "closed";
}

/// <summary>Reads the API's answer, also that of an older worker; another program's JSON is an error.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(WorkerState))]
[JsonSerializable(typeof(PeersState))]
[JsonSerializable(typeof(RouteOrder))]
[JsonSerializable(typeof(ProbeAnswer))]
[JsonSerializable(typeof(LogLevelOrder))]
internal sealed partial class WorkerStateJson : JsonSerializerContext;
