using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Messaging.Unwrapping;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Messaging.Hosting;

/// <summary>
/// Adds sources, envelopes, handlers, sinks and their settings to a message worker. Routes cannot name a feature that was not added, and its
/// settings are unknown keys. Mistakes, such as a duplicate name, do not throw: the worker reports them at start, with those of the
/// configuration. Each package adds its features by extension methods, such as <c>AddSqs()</c>.
/// </summary>
/// <remarks>The channel source and the sinks Directory and Memory are always added; they open nothing unless a route names them.</remarks>
public interface IMessageWorkerBuilder
{
    /// <summary>The container's services, for singletons that a feature needs at run time.</summary>
    IServiceCollection Services { get; }

    /// <summary>Adds a source that routes may name in <c>Routes:{name}:Source</c>.</summary>
    IMessageWorkerBuilder AddSource(ISourceFeature source);

    /// <summary>Adds an envelope that routes may name in <c>Routes:{name}:Envelope</c>.</summary>
    IMessageWorkerBuilder AddEnvelope(IEnvelopeFeature envelope);

    /// <summary>Adds a handler that routes may name in <c>Routes:{name}:Handler</c>.</summary>
    IMessageWorkerBuilder AddHandler(IHandlerFeature handler);

    /// <summary>Adds a sink that routes may name in <c>Routes:{name}:Sink</c>.</summary>
    IMessageWorkerBuilder AddSink(ISinkFeature sink);

    /// <summary>
    /// Adds a step or behaviour to the pipeline of every route; <c>Pipeline:Parts</c> selects and orders them. See <c>AddStep</c> and <c>AddBehavior</c>.
    /// </summary>
    internal IMessageWorkerBuilder AddPart(RoutePart part);

    /// <summary>
    /// Adds a section that belongs to no single feature. Settings of the process are read once and can be injected as the settings class;
    /// features read per-route settings, once per route. Features that share a section may each add it.
    /// </summary>
    IMessageWorkerBuilder AddSettings(SettingsSection section);
}

/// <summary>
/// Decides by type what an exception of a handler, step or behaviour means for its message, on every route. Derived types count too; of several listed types
/// the most derived one decides. <c>Recoverability:DeadLetterOn</c> and <c>RetryOn</c> do the same by name, and win over the same type here.
/// </summary>
public static class RecoverabilityWorkerBuilderExtensions
{
    /// <summary>
    /// Dead-letters a message on the first such exception, with the reason <c>unhandled-exception</c>: for a fault of the message that no retry helps against.
    /// </summary>
    /// <typeparam name="TException">The type, such as <see cref="FormatException"/>.</typeparam>
    /// <param name="builder">The worker.</param>
    public static IMessageWorkerBuilder DeadLetterOn<TException>(this IMessageWorkerBuilder builder)
        where TException : Exception => Add<TException>(builder, ExceptionRule.DeadLetter);

    /// <summary>
    /// Treats such an exception as <see cref="Quayside.Pipeline.Settlements.TransientException"/>: a service that the handler calls is down. The message
    /// is retried, then held or abandoned, and never dead-lettered for it; the fault counts for the route's breaker.
    /// </summary>
    /// <typeparam name="TException">The type, such as <see cref="HttpRequestException"/>.</typeparam>
    /// <param name="builder">The worker.</param>
    public static IMessageWorkerBuilder RetryOn<TException>(this IMessageWorkerBuilder builder)
        where TException : Exception => Add<TException>(builder, ExceptionRule.Retry);

    private static IMessageWorkerBuilder Add<TException>(IMessageWorkerBuilder builder, ExceptionRule rule)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Services.AddSingleton(new ExceptionTypeRule(typeof(TException), rule));
        return builder;
    }
}

/// <summary>Adds steps and behaviours to the pipelines of all routes; <c>Pipeline:Parts</c> selects and orders them.</summary>
public static class RoutePartWorkerBuilderExtensions
{
    /// <summary>
    /// Adds a step. Each route uses one instance: the container's if the type is registered there, otherwise its own, disposed after the route has drained.
    /// </summary>
    /// <typeparam name="TStep">The step; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(
        this IMessageWorkerBuilder builder, string? name = null)
        where TStep : class, IStep<MessageContext> => builder.AddPart(RoutePart.Step<TStep>(name));

    /// <summary>Adds a behaviour, which wraps the rest of the pipeline. Instances as for <see cref="AddStep{TStep}"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(
        this IMessageWorkerBuilder builder, string? name = null)
        where TBehavior : class, IBehavior<MessageContext, MessageContext> => builder.AddPart(RoutePart.Behavior<TBehavior>(name));

    /// <summary>
    /// Adds a step with settings: the section <paramref name="name"/>, with the overrides of the route in <c>Routes:{route}:{name}</c>, is read and checked
    /// like the worker's own settings, and passed to the constructor. Each route has an instance of its own.
    /// </summary>
    /// <typeparam name="TStep">The step; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped
    /// ones.</typeparam> <typeparam name="TOptions">A class whose properties carry <see cref="Configuration.SettingAttribute"/>; its initial values are the
    /// defaults.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>, and the section of its settings.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
            this IMessageWorkerBuilder builder, string name)
        where TStep : class, IStep<MessageContext>
        where TOptions : class, new() => builder.AddPart(RoutePart.Step<TStep, TOptions>(name));

    /// <summary>Adds a behaviour with settings, as <see cref="AddStep{TStep, TOptions}"/> does a step.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped
    /// ones.</typeparam> <typeparam name="TOptions">A class whose properties carry <see cref="Configuration.SettingAttribute"/>; its initial values are the
    /// defaults.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>, and the section of its settings.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
            this IMessageWorkerBuilder builder, string name)
        where TBehavior : class, IBehavior<MessageContext, MessageContext>
        where TOptions : class, new() => builder.AddPart(RoutePart.Behavior<TBehavior, TOptions>(name));
}

/// <summary>Adds telemetry of your own code to what the worker exports.</summary>
public static class TelemetryWorkerBuilderExtensions
{
    /// <summary>
    /// Exports the instruments of a <see cref="System.Diagnostics.Metrics.Meter"/> with the worker's own, in <c>/metrics</c> and over OTLP. The meter may be
    /// created before or after the call. In <c>/metrics</c> its series have the label <c>otel_scope_name</c>, the meter's name.
    /// </summary>
    /// <param name="builder">The worker.</param>
    /// <param name="name">The meter's name, such as <c>Shop</c>; <c>Shop.*</c> for all that begin like this.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static IMessageWorkerBuilder AddMeter(this IMessageWorkerBuilder builder, string name)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        builder.Services.AddSingleton(new ExportedMeter(name));
        return builder;
    }
}
