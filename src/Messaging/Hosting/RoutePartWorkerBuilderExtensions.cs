using System.Diagnostics.CodeAnalysis;
using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Messaging.Hosting;

/// <summary>Adds steps and behaviours to the pipelines of all routes; <c>Pipeline:Parts</c> selects and orders them.</summary>
public static class RoutePartWorkerBuilderExtensions
{
    /// <summary>Adds a step: <see cref="RoutePart.Step"/>.</summary>
    /// <typeparam name="TStep">The step.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddStep<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(this IMessageWorkerBuilder builder, string? name = null)
        where TStep : class, IStep<PhysicalContext> => builder.AddPart(RoutePart.Step<TStep>(name));

    /// <summary>Adds a behaviour: <see cref="RoutePart.Behavior"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour.</typeparam>
    /// <param name="builder">The worker.</param>
    /// <param name="name">Its name in <c>Pipeline:Parts</c>; null for the name of the class.</param>
    public static IMessageWorkerBuilder AddBehavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(this IMessageWorkerBuilder builder, string? name = null)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext> => builder.AddPart(RoutePart.Behavior<TBehavior>(name));
}
