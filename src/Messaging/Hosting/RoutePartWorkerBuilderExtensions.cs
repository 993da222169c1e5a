using System.Diagnostics.CodeAnalysis;
using Messaging.Planning;
using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Messaging.Hosting;

/// <summary>Adds steps and behaviours to the pipelines of all routes; <c>Pipeline:Parts</c> selects and orders them.</summary>
public static class RoutePartWorkerBuilderExtensions
{
    /// <summary>Adds a step: <see cref="RoutePart.Step{TStep}(string)"/>.</summary>
    /// <typeparam name="TStep">The step.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(this IMessageWorkerBuilder builder, string? name = null)
        where TStep : class, IStep<PhysicalContext> => builder.AddPart(RoutePart.Step<TStep>(name));

    /// <summary>Adds a behaviour: <see cref="RoutePart.Behavior{TBehavior}(string)"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(this IMessageWorkerBuilder builder, string? name = null)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext> => builder.AddPart(RoutePart.Behavior<TBehavior>(name));

    /// <summary>Adds a step with settings that a route may override: <see cref="RoutePart.Step{TStep, TSettings}"/>.</summary>
    /// <typeparam name="TStep">The step.</typeparam>
    /// <typeparam name="TSettings">Its settings.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="section">The section of its settings.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TSettings>(this IMessageWorkerBuilder builder, string section, string? name = null)
        where TStep : class, IStep<PhysicalContext>
        where TSettings : class, new() => builder.AddPart(RoutePart.Step<TStep, TSettings>(section, name));

    /// <summary>Adds a behaviour with settings that a route may override: <see cref="RoutePart.Behavior{TBehavior, TSettings}"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour.</typeparam>
    /// <typeparam name="TSettings">Its settings.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="section">The section of its settings.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TSettings>(this IMessageWorkerBuilder builder, string section, string? name = null)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext>
        where TSettings : class, new() => builder.AddPart(RoutePart.Behavior<TBehavior, TSettings>(section, name));
}
