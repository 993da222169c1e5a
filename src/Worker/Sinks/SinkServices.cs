using Microsoft.Extensions.Logging;
using Worker.Recoverability;

namespace Worker.Sinks;

/// <summary>What a sink may use of its surroundings.</summary>
/// <param name="Services">The container, for singletons of the feature itself.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Breaker">The route's breaker, told by others how the sink does; null where there is no route.</param>
internal sealed record SinkServices(IServiceProvider Services, ILoggerFactory Loggers, TimeProvider Time, CircuitBreaker? Breaker = null);
