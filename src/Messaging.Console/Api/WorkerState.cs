using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Console.Api;

/// <summary>The answer of <c>/api/v1/stats</c>, which the command <c>status</c> reads. Counts are since the start.</summary>
internal sealed record WorkerState
{
    public required string Version { get; init; }

    public required int Process { get; init; }

    public required string Machine { get; init; }

    public required DateTime StartedAt { get; init; }

    public required DateTime Time { get; init; }

    public required bool Stopping { get; init; }

    /// <summary>True when a token is set, so that changes are possible.</summary>
    public required bool CanChange { get; init; }

    /// <summary><see cref="ConsoleOptions.DocsUrl"/>.</summary>
    public string? DocsUrl { get; init; }

    public required RuntimeState Runtime { get; init; }

    public WaitingDeadLetters? WaitingDeadLetters { get; init; }

    public required HttpState Http { get; init; }

    public required IReadOnlyList<RouteStatus> Routes { get; init; }

    /// <summary>Those sources of the routes whose dead-letter queues can be redriven.</summary>
    public IReadOnlyList<string> RedriveSources { get; init; } = [];

    /// <summary>What was measured of each route, by its name.</summary>
    public required IReadOnlyDictionary<string, RouteMeasures> Measured { get; init; }

    /// <summary>Problems of the worker; those of a route are in its status.</summary>
    public required IReadOnlyList<RouteProblem> Problems { get; init; }

    /// <summary>All problems with their routes, failures first; the route is null for the worker's own.</summary>
    public IEnumerable<(string? Route, RouteProblem Problem)> FindProblems() =>
        Problems.Select(static problem => ((string?)null, problem))
            .Concat(Routes.SelectMany(static route => route.Problems.Select(problem => ((string?)route.Name, problem))))
            .OrderByDescending(static one => one.problem.Severity);
}

internal sealed record RuntimeState(
    int Cores, double CpuSeconds, long AllocatedBytes, long HeapBytes, double GcPauseSeconds, IReadOnlyList<int> Collections, int Threads);

internal sealed record HttpState(IReadOnlyList<AnswerState> Answers, IReadOnlyDictionary<string, double> ConnectionsClosed);

/// <summary>Requests of one route, or of none, that got the same answer; status 0 where the connection was closed without one.</summary>
internal sealed record AnswerState(string? Route, int Status, string Reason, bool Refusal, long Count);

/// <summary>What the metrics have measured of a route.</summary>
/// <param name="Process">Processing times of the last minute, in seconds; null where nothing was measured.</param>
/// <param name="Store">Times of the sink, likewise.</param>
/// <param name="Timeouts">Messages cancelled since the start.</param>
/// <param name="DeadLettersByReason">Dead letters since the start.</param>
/// <param name="Retries">Retried calls of the sink since the start, by status.</param>
internal sealed record RouteMeasures(
    Percentiles? Process, Percentiles? Store, double Timeouts, IReadOnlyDictionary<string, double> DeadLettersByReason,
    IReadOnlyDictionary<string, double> Retries);

internal sealed record Percentiles(double P50, double P99);
