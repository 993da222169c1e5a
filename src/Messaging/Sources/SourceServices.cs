using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources;

/// <summary>What a source may use of its surroundings.</summary>
/// <param name="Route">The route it feeds.</param>
/// <param name="Services">The container, for singletons of the feature itself.</param>
/// <param name="DeadLetters">For sources without a dead-letter queue.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Concurrency">Messages the route works on at once, at least 1.</param>
/// <param name="Calls">Counts what it sends; null outside of a route.</param>
/// <param name="Metrics">Counts dead letters that it writes; null outside of a route.</param>
public sealed record SourceServices(
    string Route,
    IServiceProvider Services,
    IDeadLetterStore DeadLetters,
    ILoggerFactory Loggers,
    TimeProvider Time,
    int Concurrency,
    ApiCalls? Calls = null,
    RouteMetrics? Metrics = null);
