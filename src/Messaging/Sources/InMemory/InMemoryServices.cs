using Messaging.DeadLetters;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources.InMemory;

/// <summary>The services that <see cref="InMemoryMessages{T}"/> needs from its source and route.</summary>
/// <param name="Source">The source's name, for dead letters.</param>
/// <param name="Route">The route it feeds.</param>
/// <param name="Concurrency">The slots of the source, at least 1.</param>
/// <param name="DeadLetters">The dead-letter store.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Logger">The source's log.</param>
/// <param name="Metrics">The route's counters; null outside a route.</param>
public sealed record InMemoryServices(string Source, string Route, int Concurrency, IDeadLetterStore DeadLetters, TimeProvider Time, ILogger Logger, RouteMetrics? Metrics = null)
{
    /// <summary>The services of a source, from those of its route.</summary>
    public static InMemoryServices Of(SourceServices services, ILogger logger) =>
        new(services.Name, services.Route, services.Concurrency, services.DeadLetters, services.Time, logger, services.Metrics);
}
