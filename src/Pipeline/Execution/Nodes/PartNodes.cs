using System.Collections.Concurrent;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution.Nodes;

/// <summary>
/// The node classes of the part types. Generated code registers them when its assembly is loaded; the builder looks each one up
/// once, when its part is added. Threads: any.
/// </summary>
public static class PartNodes
{
    /// <summary>Registers the node class of a step type.</summary>
    public static void AddStep<TStep, TContext>(StepNodeFactory<TContext> factory)
        where TStep : class, IStep<TContext>
        where TContext : PipelineContext => FactoriesOf<StepNodeFactory<TContext>>.Add(typeof(TStep), factory);

    /// <summary>Registers the node class of a behaviour, connector or fork type.</summary>
    public static void AddBehavior<TBehavior, TIn, TOut>(BehaviorNodeFactory<TIn, TOut> factory)
        where TBehavior : class, IBehavior<TIn, TOut>
        where TIn : PipelineContext
        where TOut : PipelineContext => FactoriesOf<BehaviorNodeFactory<TIn, TOut>>.Add(typeof(TBehavior), factory);

    /// <summary>Registers the node class of a terminator type.</summary>
    public static void AddTerminator<TTerminator, TContext>(TerminatorNodeFactory<TContext> factory)
        where TTerminator : class, ITerminator<TContext>
        where TContext : PipelineContext => FactoriesOf<TerminatorNodeFactory<TContext>>.Add(typeof(TTerminator), factory);

    internal static StepNodeFactory<TContext>? Of<TContext>(IStep<TContext> step)
        where TContext : PipelineContext => FactoriesOf<StepNodeFactory<TContext>>.Find(step.GetType());

    internal static BehaviorNodeFactory<TIn, TOut>? Of<TIn, TOut>(IBehavior<TIn, TOut> behavior)
        where TIn : PipelineContext
        where TOut : PipelineContext => FactoriesOf<BehaviorNodeFactory<TIn, TOut>>.Find(behavior.GetType());

    internal static TerminatorNodeFactory<TContext>? Of<TContext>(ITerminator<TContext> terminator)
        where TContext : PipelineContext => FactoriesOf<TerminatorNodeFactory<TContext>>.Find(terminator.GetType());
}

/// <summary>The factories of one kind of node, by the part's type.</summary>
internal static class FactoriesOf<TFactory>
    where TFactory : Delegate
{
    private static readonly ConcurrentDictionary<Type, TFactory> ByPart = new();

    public static void Add(Type part, TFactory factory) => ByPart[part] = factory;

    public static TFactory? Find(Type part) => ByPart.GetValueOrDefault(part);
}

/// <summary>Makes the node of one behaviour, connector or fork.</summary>
public delegate Next<TIn> BehaviorNodeFactory<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next)
    where TIn : PipelineContext
    where TOut : PipelineContext;

/// <summary>Makes the node of one step; <paramref name="next"/> is null for a fused run.</summary>
public delegate StepNode<TContext> StepNodeFactory<TContext>(IStep<TContext> step, Next<TContext>? next)
    where TContext : PipelineContext;

/// <summary>Makes the node of one terminator.</summary>
public delegate Next<TContext> TerminatorNodeFactory<TContext>(ITerminator<TContext> terminator)
    where TContext : PipelineContext;
