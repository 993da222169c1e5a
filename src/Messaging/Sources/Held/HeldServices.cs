using Messaging.DeadLetters;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;

namespace Messaging.Sources.Held;

/// <summary>What <see cref="HeldMessages{T}"/> needs of its source.</summary>
/// <param name="Source">The source's name.</param>
/// <param name="Route">The route it feeds.</param>
/// <param name="Concurrency">Messages the route works on at once, at least 1.</param>
/// <param name="DeadLetters">Where given-up messages go.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Logger">The source's log.</param>
/// <param name="Metrics">The route's counts; null outside of one.</param>
internal sealed record HeldServices(string Source, string Route, int Concurrency, IDeadLetterStore DeadLetters, TimeProvider Time, ILogger Logger, RouteMetrics? Metrics = null)
{
    public static HeldServices Of(SourceServices services, string source, ILogger logger) =>
        new(source, services.Route, services.Concurrency, services.DeadLetters, services.Time, logger, services.Metrics);
}
