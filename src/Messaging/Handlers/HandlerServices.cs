using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Recoverability;
using Messaging.Sinks;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Handlers;

/// <summary>What a handler's parts may use of their route.</summary>
/// <param name="Route">The route's name.</param>
/// <param name="Sink">Where results go; of the kind that the handler's feature asks for.</param>
/// <param name="Breaker">Told of every outcome of the sink.</param>
/// <param name="Recoverability">Retry settings.</param>
/// <param name="Metrics">The route's counters.</param>
/// <param name="Calls">Counts what it sends.</param>
/// <param name="Services">The container, for singletons of the feature itself.</param>
/// <param name="DeadLetters">For parts of a message that are set aside while the rest is stored.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Concurrency">Messages in flight at most: the size pools need.</param>
internal sealed record HandlerServices(
    string Route,
    ISink Sink,
    CircuitBreaker Breaker,
    RecoverabilityOptions Recoverability,
    RouteMetrics Metrics,
    ApiCalls Calls,
    IServiceProvider Services,
    IDeadLetterStore DeadLetters,
    ILoggerFactory Loggers,
    TimeProvider Time,
    int Concurrency)
{
    /// <summary>Takes what is to be checked at start, before the route receives.</summary>
    public IList<RouteCheck> Checks { get; } = [];

    /// <summary>Parts that end with the route, in the order they were made; disposed in reverse.</summary>
    public IList<object> Owned { get; } = [];
}
