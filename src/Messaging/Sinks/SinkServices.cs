using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Recoverability;
using Microsoft.Extensions.Logging;

namespace Messaging.Sinks;

/// <summary>What a sink may use.</summary>
/// <param name="Services">The container, for singletons of the feature.</param>
/// <param name="Loggers">The logger factory.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Route">The route, for the tags of its metrics; null outside a route, where no gauges are published.</param>
/// <param name="Calls">Counts its calls; null outside a route.</param>
/// <param name="Breaker">The route's breaker, to which others report the outcomes; null outside a route.</param>
/// <param name="Concurrency">Maximum number of concurrent stores: the slots of all sources of the route.</param>
/// <param name="ContentType">The media type of the objects.</param>
/// <param name="DeadLetters">Keeps unfinished objects of a process that died, which may be the only copies of messages; null when every source keeps its messages.</param>
public sealed record SinkServices(
    IServiceProvider Services,
    ILoggerFactory Loggers,
    TimeProvider Time,
    string? Route = null,
    ApiCalls? Calls = null,
    CircuitBreaker? Breaker = null,
    int Concurrency = int.MaxValue,
    string ContentType = "application/json",
    IDeadLetterStore? DeadLetters = null);
