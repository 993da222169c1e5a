using System.Diagnostics.CodeAnalysis;
using Messaging.Handlers;
using Pipeline.Behaviors;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Hosting;

/// <summary>
/// A step or behaviour of the physical stage that code adds to the pipelines of the routes. It runs after the worker's own steps, within
/// the message's span, and before the handler's parts. Immutable.
/// </summary>
public sealed class RoutePart
{
    private readonly Action<PipelineBuilder<PhysicalContext>, HandlerServices> _compose;

    private RoutePart(string name, Type type, Action<PipelineBuilder<PhysicalContext>, HandlerServices> compose)
    {
        Name = name;
        PartType = type;
        _compose = compose;
    }

    /// <summary>The name in <c>Pipeline:Parts</c> and in the printed chain.</summary>
    public string Name { get; }

    /// <summary>The part's class.</summary>
    public Type PartType { get; }

    /// <summary>A step. Each route uses one instance: the container's if the type is registered there, otherwise its own, disposed after the route has drained.</summary>
    /// <typeparam name="TStep">The step; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="name">Its name; null for the name of the class.</param>
    public static RoutePart Step<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TStep>(string? name = null)
        where TStep : class, IStep<PhysicalContext>
    {
        string known = name ?? NameOf(typeof(TStep));
        return new RoutePart(known, typeof(TStep), (builder, services) => builder.Step(services.Create<TStep>(), known));
    }

    /// <summary>A behaviour, which wraps the rest of the pipeline. Instances as for <see cref="Step"/>.</summary>
    /// <typeparam name="TBehavior">The behaviour; its constructor may take the container's services, except scoped ones.</typeparam>
    /// <param name="name">Its name; null for the name of the class.</param>
    public static RoutePart Behavior<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TBehavior>(string? name = null)
        where TBehavior : class, IBehavior<PhysicalContext, PhysicalContext>
    {
        string known = name ?? NameOf(typeof(TBehavior));
        return new RoutePart(known, typeof(TBehavior), (builder, services) => builder.Behavior(services.Create<TBehavior>(), known));
    }

    internal void Compose(PipelineBuilder<PhysicalContext> builder, HandlerServices services) => _compose(builder, services);

    private static string NameOf(Type type)
    {
        int arity = type.Name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? type.Name : type.Name[..arity];
    }
}
