using Messaging.Costs;
using Messaging.DeadLetters;
using Messaging.Recoverability;
using Microsoft.Extensions.Logging;

namespace Messaging.Sinks;

/// <summary>What a sink may use of its surroundings.</summary>
/// <param name="Services">The container, for singletons of the feature itself.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Route">The route it stores for, as its metrics are tagged; null outside of one, and then no gauges are published.</param>
/// <param name="Calls">Counts what it sends; null outside of a route.</param>
/// <param name="Breaker">The route's breaker, told by others how the sink does; null where there is no route.</param>
/// <param name="Concurrency">Stores at once at most: the slots of all sources of the route.</param>
/// <param name="ContentType">Media type of what is stored.</param>
/// <param name="DeadLetters">For unfinished objects of a process that died, where they may be the only copies of messages; null where every source keeps its messages.</param>
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
