using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Handlers.Typed;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds handlers of JSON messages, which routes name. No call throws for a mistake; it is reported with the errors of the configuration.</summary>
public static class HandlerWorkerBuilderExtensions
{
    private const DynamicallyAccessedMemberTypes Constructors = DynamicallyAccessedMemberTypes.PublicConstructors;
    private const DynamicallyAccessedMemberTypes Settings =
        DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor;

    /// <summary>
    /// Adds a handler. One instance serves every message of a route: the container's where <typeparamref name="THandler"/> is
    /// registered there, else one that is made at start and disposed after the route has drained.
    /// </summary>
    /// <typeparam name="TMessage">What bodies are read into.</typeparam>
    /// <typeparam name="THandler">The handler; its constructor may take what the container has, scoped services excepted.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">The name for <c>Routes:{route}:Handler</c>: 1 to 64 letters, digits, - or _.</param>
    /// <param name="typeInfo">How bodies are read, from a <c>JsonSerializerContext</c>: no reflection at run time.</param>
    public static IMessageWorkerBuilder AddHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage> =>
        builder.AddHandler(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.None, isScoped: false));

    /// <summary>
    /// Adds a handler with settings: the section <c>Handlers:{name}</c>, with the overrides of the route, is read and checked like the worker's
    /// own settings, and passed to the constructor. One instance serves every message of a route.
    /// </summary>
    /// <typeparam name="TMessage">What bodies are read into.</typeparam>
    /// <typeparam name="THandler">The handler; its constructor takes <typeparamref name="TOptions"/> and what the container has.</typeparam>
    /// <typeparam name="TOptions">A class whose properties carry <see cref="Configuration.SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">The name for <c>Routes:{route}:Handler</c>.</param>
    /// <param name="typeInfo">How bodies are read.</param>
    public static IMessageWorkerBuilder AddHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler,
        [DynamicallyAccessedMembers(Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage>
        where TOptions : class, new() =>
        builder.AddHandler(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<TOptions>(isArgument: true), isScoped: false));

    /// <summary>
    /// Adds a handler that is made for each attempt at a message, in a service scope of its own: for handlers that take scoped services, such as a
    /// DbContext. The scope is disposed before the message is settled; an error in that counts as the handler's.
    /// Costs a scope and a handler per attempt, which the test Handle_InAScope_CostsTheScopeAndTheHandler measures.
    /// </summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler}"/>
    public static IMessageWorkerBuilder AddScopedHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage> =>
        builder.AddHandler(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.None, isScoped: true));

    /// <summary>As <see cref="AddScopedHandler{TMessage, THandler}"/>, with settings.</summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler, TOptions}"/>
    public static IMessageWorkerBuilder AddScopedHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler,
        [DynamicallyAccessedMembers(Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage>
        where TOptions : class, new() =>
        builder.AddHandler(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<TOptions>(isArgument: true), isScoped: true));

    /// <summary>
    /// Adds a handler that stores in the sink of its route. Its constructor takes the route's <see cref="ObjectStore"/>; it returns the settlement
    /// that <see cref="ObjectStore.StoreAsync(string, ReadOnlyMemory{byte}, CancellationToken)"/> gives. Each route has an instance of its own.
    /// </summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler}"/>
    public static IMessageWorkerBuilder AddStoringHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage> =>
        builder.AddHandler(new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.None, isScoped: false, SinkKind.Objects));

    /// <summary>As <see cref="AddStoringHandler{TMessage, THandler}"/>, with settings.</summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler, TOptions}"/>
    public static IMessageWorkerBuilder AddStoringHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler,
        [DynamicallyAccessedMembers(Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IMessageHandler<TMessage>
        where TOptions : class, new() =>
        builder.AddHandler(
            new JsonHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<TOptions>(isArgument: true), isScoped: false, SinkKind.Objects));

    /// <summary>
    /// Adds a handler of batches, whose section <c>Handlers:{name}</c> is <see cref="BatchOptions"/>. One instance serves every batch of a route.
    /// </summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler}"/>
    public static IMessageWorkerBuilder AddBatchHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IBatchHandler<TMessage> =>
        builder.AddHandler(
            new JsonBatchHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<BatchOptions>(isArgument: false), isScoped: false));

    /// <summary>Adds a handler of batches with settings of its own. One instance serves every batch of a route.</summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler, TOptions}"/>
    public static IMessageWorkerBuilder AddBatchHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler,
        [DynamicallyAccessedMembers(Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IBatchHandler<TMessage>
        where TOptions : BatchOptions, new() =>
        builder.AddHandler(new JsonBatchHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<TOptions>(isArgument: true), isScoped: false));

    /// <summary>Adds a handler of batches that is made for each batch, in a service scope of its own.</summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler}"/>
    public static IMessageWorkerBuilder AddScopedBatchHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IBatchHandler<TMessage> =>
        builder.AddHandler(
            new JsonBatchHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<BatchOptions>(isArgument: false), isScoped: true));

    /// <summary>As <see cref="AddScopedBatchHandler{TMessage, THandler}"/>, with settings of its own.</summary>
    /// <inheritdoc cref="AddHandler{TMessage, THandler, TOptions}"/>
    public static IMessageWorkerBuilder AddScopedBatchHandler<TMessage, [DynamicallyAccessedMembers(Constructors)] THandler,
        [DynamicallyAccessedMembers(Settings)] TOptions>(
        this IMessageWorkerBuilder builder, string name, JsonTypeInfo<TMessage> typeInfo)
        where THandler : class, IBatchHandler<TMessage>
        where TOptions : BatchOptions, new() =>
        builder.AddHandler(new JsonBatchHandlerFeature<TMessage, THandler>(name, typeInfo, HandlerSettings.Of<TOptions>(isArgument: true), isScoped: true));
}
