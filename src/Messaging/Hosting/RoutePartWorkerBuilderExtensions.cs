using System.Diagnostics.CodeAnalysis;
using Messaging.Planning;
using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Messaging.Hosting;

/// <summary>Adds steps and behaviours to the pipelines of all routes; <c>Pipeline:Parts</c> selects and orders them.</summary>
public static class RoutePartWorkerBuilderExtensions
{
    /// <summary>Adds a step. Each route uses one instance: the container's if the type is registered there, otherwise its own, disposed after the route has drained.</summary>
    /// <typeparam name="TStep">The step; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(this IMessageWorkerBuilder builder, string? name = null)
        where TStep : class, IStep<PhysicalContext> => builder.AddPart(RoutePart.Step<TStep>(name));

    /// <summary>Adds a behaviour, which wraps the rest of the pipeline. Instances as for <see cref="AddStep{TStep}"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(this IMessageWorkerBuilder builder, string? name = null)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext> => builder.AddPart(RoutePart.Behavior<TBehavior>(name));

    /// <summary>
    /// Adds a step with settings: the section <paramref name="name"/>, with the overrides of the route in <c>Routes:{route}:{name}</c>, is read and checked like
    /// the worker's own settings, and passed to the constructor. Each route has an instance of its own.
    /// </summary>
    /// <typeparam name="TStep">The step; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped ones.</typeparam>
    /// <typeparam name="TOptions">A class whose properties carry <see cref="Configuration.SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>, and the section of its settings.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(this IMessageWorkerBuilder builder, string name)
        where TStep : class, IStep<PhysicalContext>
        where TOptions : class, new() => builder.AddPart(RoutePart.Step<TStep, TOptions>(name));

    /// <summary>Adds a behaviour with settings, as <see cref="AddStep{TStep, TOptions}"/> does a step.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor takes <typeparamref name="TOptions"/>, and may take the container's services, except scoped ones.</typeparam>
    /// <typeparam name="TOptions">A class whose properties carry <see cref="Configuration.SettingAttribute"/>; its initial values are the defaults.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>, and the section of its settings.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(this IMessageWorkerBuilder builder, string name)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext>
        where TOptions : class, new() => builder.AddPart(RoutePart.Behavior<TBehavior, TOptions>(name));
}
