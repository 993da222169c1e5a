using Messaging.DeadLetters;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources.Held;

/// <summary>What <see cref="HeldMessages{T}"/> uses of its source and route.</summary>
/// <param name="Source">The source's name.</param>
/// <param name="Route">The route it feeds.</param>
/// <param name="Concurrency">Messages the route has in flight at most, at least 1.</param>
/// <param name="DeadLetters">Where dead letters are written.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Logger">The source's log.</param>
/// <param name="Metrics">The route's counters; null outside of a route.</param>
public sealed record HeldServices(string Source, string Route, int Concurrency, IDeadLetterStore DeadLetters, TimeProvider Time, ILogger Logger, RouteMetrics? Metrics = null)
{
    /// <summary>Those of a source, from what its route gives it.</summary>
    public static HeldServices Of(SourceServices services, string source, ILogger logger) =>
        new(source, services.Route, services.Concurrency, services.DeadLetters, services.Time, logger, services.Metrics);
}
