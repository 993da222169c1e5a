using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources;

/// <summary>What a source may use.</summary>
/// <param name="Route">The route it feeds.</param>
/// <param name="Services">The container, for singletons of the feature.</param>
/// <param name="DeadLetters">The dead-letter store, for sources without a dead-letter queue.</param>
/// <param name="Loggers">The logger factory.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Concurrency">The slots of the source, at least 1.</param>
/// <param name="Calls">Counts its calls; null outside a route.</param>
/// <param name="Metrics">Counts the dead letters that a source with <see cref="SourcePlan.KeepsDeadLetters"/> writes; those of others are counted by the route. Null outside a route.</param>
public sealed record SourceServices(
    string Route,
    IServiceProvider Services,
    IDeadLetterStore DeadLetters,
    ILoggerFactory Loggers,
    TimeProvider Time,
    int Concurrency,
    ApiCalls? Calls = null,
    RouteMetrics? Metrics = null)
{
    /// <summary>The source's name in metrics and dead letters: its feature's, in lower case.</summary>
    public string Name { get; init; } = "source";

    /// <summary>Creates loggers that never throw: a full disk of a log must not keep a message from being settled.</summary>
    public ILoggerFactory Loggers { get; init; } = new SafeLoggerFactory(Loggers);
}
