using Microsoft.Extensions.Logging;
using Worker.Recoverability;
using Worker.Sinks;
using Worker.Telemetry;

namespace Worker.Handlers;

/// <summary>What a handler's parts may use of their route.</summary>
/// <param name="Sink">Where results go.</param>
/// <param name="Breaker">Told of every outcome of the sink.</param>
/// <param name="Recoverability">Retry settings.</param>
/// <param name="Metrics">The route's counters.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Concurrency">Messages in flight at most: the size pools need.</param>
internal sealed record HandlerServices(
    IObjectSink Sink,
    CircuitBreaker Breaker,
    RecoverabilityOptions Recoverability,
    RouteMetrics Metrics,
    ILoggerFactory Loggers,
    TimeProvider Time,
    int Concurrency);
