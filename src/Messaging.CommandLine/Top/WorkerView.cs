using System.Text.Json;
using Messaging.Telemetry;

namespace Messaging.CommandLine.Top;

/// <summary>A worker's state from its API, and the changes since the previous state.</summary>
/// <param name="now">The state.</param>
/// <param name="before">The previous state; null without one.</param>
internal sealed class WorkerView(JsonElement now, JsonElement? before)
{
    // Counts of another process are not comparable.
    private readonly JsonElement? _before = before is { } earlier && earlier.GetProperty("startedAt").GetString() == now.GetProperty("startedAt").GetString() ? earlier : null;

    public DateTimeOffset Time { get; } = now.GetProperty("time").GetDateTimeOffset();

    public TimeSpan Uptime => Time - now.GetProperty("startedAt").GetDateTimeOffset();

    public bool IsStopping => now.GetProperty("stopping").GetBoolean();

    public bool IsReady => !IsStopping && Routes.All(route => route.IsReady);

    public string Title => $"worker {now.GetProperty("version").GetString()}, process {now.GetProperty("process").GetInt32()} on {now.GetProperty("machine").GetString()}";

    /// <summary>Processor time, 1 = one core; null without a previous state.</summary>
    public double? Cores => Rate(now.GetProperty("runtime"), _before?.GetProperty("runtime"), "cpuSeconds");

    /// <summary>Bytes allocated per message received since the previous state; null without one.</summary>
    public double? BytesPerMessage => Rate(now.GetProperty("runtime"), _before?.GetProperty("runtime"), "allocatedBytes") / Routes.Sum(route => route.Received) is { } bytes && double.IsFinite(bytes) ? bytes : null;

    /// <summary>Seconds of garbage collection pauses per second; null without a previous state.</summary>
    public double? GcPauses => Rate(now.GetProperty("runtime"), _before?.GetProperty("runtime"), "gcPauseSeconds");

    /// <summary>What the operator must know beside the routes, one sentence each.</summary>
    public IEnumerable<string> Problems
    {
        get
        {
            if (now.GetProperty("waitingDeadLetters") is { ValueKind: JsonValueKind.Object } waiting && waiting.GetProperty("count").GetInt64() is > 0 and var count)
            {
                string age = waiting.GetProperty("oldestAt") is { ValueKind: JsonValueKind.String } oldest ? $", the oldest for {DurationText.Of(Time - oldest.GetDateTimeOffset())}" : string.Empty;
                yield return $"{(waiting.GetProperty("isMore").GetBoolean() ? "More than " : string.Empty)}{count:N0} dead letter(s) wait{age}: {ListOf(waiting.GetProperty("byReason"))}. Fix the cause, then redrive or delete them.";
            }

            if (RefusalsOf(null) is { Length: > 0 } refused)
            {
                yield return $"HTTP requests refused since the start, without a route: {refused}";
            }

            if (ListOf(now.GetProperty("http").GetProperty("connectionsClosed")) is { Length: > 0 } closed)
            {
                yield return $"HTTP connections closed by the worker since the start: {closed}";
            }
        }
    }

    /// <summary>Requests refused since the start, by status and reason; empty for none.</summary>
    public string RefusalsOf(string? route) => string.Join(", ", Refusals(now, route).OrderByDescending(answer => answer.GetProperty("count").GetInt64())
        .Select(answer => $"{(answer.GetProperty("status").GetInt32() is > 0 and var status ? $"{status} " : string.Empty)}{answer.GetProperty("reason").GetString()} {answer.GetProperty("count").GetInt64():N0}"));

    /// <summary>Requests of a route that are refused per second; null without a previous state.</summary>
    public double? RefusedPerSecond(string route) =>
        _before is { } before && (Time - before.GetProperty("time").GetDateTimeOffset()).TotalSeconds is > 0 and var seconds
            ? (Refusals(now, route).Sum(CountOf) - Refusals(before, route).Sum(CountOf)) / seconds
            : null;

    public IReadOnlyList<RouteView> Routes => [.. now.GetProperty("routes").EnumerateArray().Select(route => new RouteView(this, route, Before(route)))];

    /// <summary>The increase of a number per second; null without a previous state.</summary>
    public double? Rate(JsonElement after, JsonElement? earlier, string name)
    {
        double seconds = _before is { } state ? (Time - state.GetProperty("time").GetDateTimeOffset()).TotalSeconds : 0;
        return earlier is { } from && seconds > 0 ? (after.GetProperty(name).GetDouble() - from.GetProperty(name).GetDouble()) / seconds : null;
    }

    private JsonElement? Before(JsonElement route)
    {
        foreach (JsonElement other in _before?.GetProperty("routes").EnumerateArray() ?? default)
        {
            if (other.GetProperty("name").GetString() == route.GetProperty("name").GetString())
            {
                return other;
            }
        }

        return null;
    }

    private static IEnumerable<JsonElement> Refusals(JsonElement state, string? route) => state.GetProperty("http").GetProperty("answers").EnumerateArray()
        .Where(answer => answer.GetProperty("refusal").GetBoolean() && answer.GetProperty("route").GetString() == route);

    private static double CountOf(JsonElement answer) => answer.GetProperty("count").GetDouble();

    private static string ListOf(JsonElement counts) => string.Join(", ", counts.EnumerateObject().Select(count => $"{count.Name} {count.Value.GetInt64():N0}"));
}

/// <summary>A route in a <see cref="WorkerView"/>.</summary>
internal sealed class RouteView(WorkerView worker, JsonElement now, JsonElement? before)
{
    public string Name => Text("name");

    public string Path => string.Join(" → ", new[] { string.Join(", ", now.GetProperty("sources").EnumerateArray().Select(source => source.GetString())), Text("handler"), Text("sink") }.Where(part => part.Length > 0));

    public bool IsReady => now.GetProperty("ready").GetBoolean();

    /// <summary>The problem in a word or two; "ok" without one.</summary>
    public string State => now.GetProperty("stuck").GetBoolean() ? "stuck" : Breaker != "closed" ? $"breaker {Breaker}" : Problem.Length > 0 ? "problem" : now.GetProperty("receiving").GetBoolean() ? "ok" : "not receiving";

    /// <summary>Messages received per second; null without a previous state.</summary>
    public double? Received => worker.Rate(now, before, "received");

    public double? Done => worker.Rate(now, before, "done");

    /// <summary>HTTP requests refused per second; null without a previous state.</summary>
    public double? Refused => worker.RefusedPerSecond(Name);

    public long DeadLetters => now.GetProperty("deadLetters").GetInt64();

    public long TotalReceived => now.GetProperty("received").GetInt64();

    public long TotalDone => now.GetProperty("done").GetInt64();

    public string Load => $"{now.GetProperty("inFlight").GetInt32()}/{now.GetProperty("slots").GetInt32()}";

    public double OldestAgeSeconds => now.GetProperty("oldestAgeSeconds").GetDouble();

    public (double P50, double P99)? Process => Percentiles("process");

    public (double P50, double P99)? Store => Percentiles("store");

    /// <summary>What the operator must know about the route, one sentence each.</summary>
    public IEnumerable<string> Problems
    {
        get
        {
            if (now.GetProperty("stuck").GetBoolean())
            {
                yield return "A message is stuck long after its timeout and holds its slot; only a restart frees it.";
            }

            if (Breaker != "closed")
            {
                JsonElement breaker = now.GetProperty("breaker");
                yield return $"Storing has failed since {breaker.GetProperty("since").GetDateTimeOffset():HH:mm:ss} UTC. Last failure: {breaker.GetProperty("lastFailure").GetString()}";
            }

            if (Problem.Length > 0)
            {
                yield return Problem;
            }

            if (worker.RefusalsOf(Name) is { Length: > 0 } refused)
            {
                yield return $"Callers refused since the start: {refused}";
            }

            string dropped = Counts("dropped");
            if (dropped.Length > 0)
            {
                yield return $"Input dropped by the source: {dropped}. {Text("droppedAdvice")}";
            }

            string reasons = Counts("deadLettersByReason");
            if (reasons.Length > 0)
            {
                yield return $"Dead letters since the start: {reasons}";
            }
        }
    }

    private string Breaker => now.GetProperty("breaker").GetProperty("state").GetString()!;

    private string Problem => Text("problem");

    private string Counts(string name) => string.Join(", ", now.GetProperty(name).EnumerateObject().Select(count => $"{count.Name} {count.Value.GetInt64():N0}"));

    private string Text(string name) => now.GetProperty(name).GetString() ?? string.Empty;

    private (double P50, double P99)? Percentiles(string name) =>
        now.GetProperty(name) is { ValueKind: JsonValueKind.Object } found ? (found.GetProperty("p50").GetDouble(), found.GetProperty("p99").GetDouble()) : null;
}
