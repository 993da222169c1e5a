using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Handlers;

/// <summary>The services of a route that its handler's parts may use.</summary>
/// <param name="Route">The route's name.</param>
/// <param name="Sink">Where results go; of the kind that the handler's feature asks for, null where it asks for none.</param>
/// <param name="Breaker">Receives every outcome of the sink, or of the handler where there is no sink.</param>
/// <param name="Recoverability">Retry settings.</param>
/// <param name="Metrics">The route's counters.</param>
/// <param name="Calls">Counts the calls that the handler sends to services.</param>
/// <param name="Services">The container, for singletons of the feature itself.</param>
/// <param name="DeadLetters">For parts of a message that are dead-lettered while the rest is stored.</param>
/// <param name="Loggers">Loggers.</param>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Concurrency">The maximum number of messages in flight: the size for pools.</param>
public sealed record HandlerServices(
    string Route,
    ISink? Sink,
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
    /// <summary>The sink's name: its feature's. Empty without a sink.</summary>
    public string SinkName { get; init; } = string.Empty;

    /// <summary>True when the route's sink retries by itself: <see cref="SinkPlan.Retries"/>.</summary>
    public bool SinkRetries { get; init; }

    /// <summary>
    /// Shows the worker a message that misses what the handler needs, and that is processed nevertheless: if it is in an envelope that the route does not open,
    /// the log tells once. Dead letters are shown by the worker itself.
    /// </summary>
    public Action<ReadOnlyMemory<byte>> LookForEnvelope { get; init; } = static _ => { };

    /// <summary>The checks to run at start, before the route receives.</summary>
    public IList<RouteCheck> Checks { get; } = [];

    /// <summary>
    /// The warnings to log when the worker stops. Each function returns a sentence about the messages since the start, without its full stop,
    /// or null for none. Called once, after the drain.
    /// </summary>
    public IList<Func<string?>> Reports { get; } = [];

    /// <summary>Parts that end with the route, in the order they were made; disposed in reverse.</summary>
    public IList<object> Owned { get; } = [];

    /// <summary>
    /// Called when the route stops receiving, possibly more than once: a part that waits for further messages must stop waiting. Must not block or throw.
    /// </summary>
    public IList<Action> Stopping { get; } = [];

    /// <summary>The route's sink as handlers use it.</summary>
    /// <exception cref="InvalidOperationException">The route has no sink for objects: the handler's feature asks for another kind.</exception>
    public ObjectStore Store => field ??= Sink is IObjectSink sink
        ? new ObjectStore(sink, SinkName, Breaker, Metrics)
        : throw new InvalidOperationException(
            $"Route {Route} has no sink for objects: {nameof(IHandlerFeature)}.{nameof(IHandlerFeature.Writes)} must be {nameof(SinkKind.Objects)}.");

    /// <summary>Makes a part that lives as long as the route, or returns the container's instance.</summary>
    /// <param name="arguments">Further arguments of its constructor, in any order; with any, the instance is always a new one.</param>
    /// <exception cref="StartupException">The part cannot be created.</exception>
    public T Create<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(params object[] arguments)
        where T : class => PartActivator.Create<T>(Services, Route, Owned.Add, arguments);

    /// <summary>Makes the factory that creates a handler in a scope of its own for each call; the start checks that it can.</summary>
    /// <param name="arguments">Further arguments of the handler's constructor.</param>
    /// <exception cref="StartupException">The handler can never be created.</exception>
    internal ScopedFactory<T> CreateScoped<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(params object[] arguments)
        where T : class
    {
        try
        {
            ScopedFactory<T> factory = new(Services, arguments);
            Checks.Add(new RouteCheck($"the handler {typeof(T).Name}", _ => factory.CheckAsync(Route)) { IsLocal = true });
            return factory;
        }
        catch (InvalidOperationException exception)
        {
            throw PartActivator.Failed<T>(Route, exception);
        }
    }

    /// <summary>Makes the object that reports a handler's outcomes.</summary>
    internal HandlerReports ReportsOf(Type handler) =>
        new(Route, handler.Name, Recoverability.Rules, Breaker, Loggers.CreateLogger($"Quayside.Messaging.Routes.{Route}"), Time);
}
