using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Handlers;

/// <summary>The services of a route that its handler's parts may use.</summary>
public sealed record HandlerServices
{
    internal HandlerServices()
    {
    }

    /// <summary>The route's name.</summary>
    public required string Route { get; init; }

    /// <summary>Where results go; of the kind that the handler's feature asks for, null where it asks for none.</summary>
    public required ISink? Sink { get; init; }

    /// <summary>Receives every outcome of the sink, or of the handler where there is no sink.</summary>
    public IBreaker Breaker => Circuit;

    /// <summary>
    /// Retries the parts after it in process after a transient fault, as <c>Recoverability</c> says, and stops when the breaker opens: add it before the part
    /// that stores.
    /// </summary>
    public IBehavior<MessageContext, MessageContext> Retry => new RetryBehavior<MessageContext>(Recoverability, Circuit, Time);

    /// <summary>The route's counters.</summary>
    public required RouteMetrics Metrics { get; init; }

    /// <summary>The container, for singletons of the feature itself.</summary>
    public required IServiceProvider Services { get; init; }

    /// <summary>For parts of a message that are dead-lettered while the rest is stored.</summary>
    public required IDeadLetterStore DeadLetters { get; init; }

    /// <summary>Loggers.</summary>
    public ILoggerFactory Loggers { get; init; } = NullLoggerFactory.Instance;

    /// <summary>The clock; tests drive it.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>The maximum number of messages in flight: the size for pools.</summary>
    public required int Concurrency { get; init; }

    internal CircuitBreaker Circuit { get; init; } = null!;

    internal RecoverabilityOptions Recoverability { get; init; } = null!;

    /// <summary>Counts the calls that the handler sends to services.</summary>
    internal ApiCalls Calls { get; init; } = null!;

    /// <summary>The sink's name: its feature's. Empty without a sink.</summary>
    internal string SinkName { get; init; } = string.Empty;

    /// <summary>True when the route's sink retries by itself: <see cref="SinkPlan.Retries"/>.</summary>
    internal bool SinkRetries { get; init; }

    /// <summary>
    /// Shows the worker a message that misses what the handler needs, and that is processed nevertheless: if it is in an envelope that the route does not open,
    /// the log tells once. Dead letters are shown by the worker itself.
    /// </summary>
    internal Action<ReadOnlyMemory<byte>> LookForEnvelope { get; init; } = static _ => { };

    /// <summary>The checks to run at start, before the route receives.</summary>
    internal IList<RouteCheck> Checks { get; } = [];

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
        ? new ObjectStore(sink, SinkName, Circuit, Metrics)
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
        new(Route, handler.Name, Recoverability.Rules, Circuit, Loggers.CreateLogger($"Quayside.Messaging.Routes.{Route}"), Time);
}
