using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution.Nodes;

namespace Pipeline.Parts;

/// <summary>One registered part: its name, its place in the stages, and the part itself.</summary>
/// <param name="Name">What the printed chain calls it.</param>
/// <param name="Kind">Its role.</param>
/// <param name="In">The context type it works on.</param>
/// <param name="Out">The context type of the part that follows; null after a terminator.</param>
internal abstract record PipelinePart(string Name, PartKind Kind, Type In, Type? Out)
{
    /// <summary>Whether there is a node class for this part's type; otherwise it runs in a shared one.</summary>
    public abstract bool HasOwnNode { get; }

    /// <summary>The part's class.</summary>
    public abstract Type Type { get; }

    public abstract TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state);
}

internal enum PartKind
{
    Step,
    Behavior,
    Connector,
    Fork,
    Terminator,
}

internal sealed record StepPart<TContext>(string Name, IStep<TContext> Step)
    : PipelinePart(Name, PartKind.Step, typeof(TContext), typeof(TContext))
    where TContext : PipelineContext
{
    private readonly StepNodeFactory<TContext>? _factory = PartNodes.Of(Step);

    public override bool HasOwnNode => _factory is not null;

    public override Type Type => Step.GetType();

    public StepNode<TContext> Node(Next<TContext>? next) => Named(_factory is null ? new SharedStepNode<TContext>(Step, next) : _factory(Step, next));

    /// <summary>The node, with the name of the part for errors.</summary>
    public StepNode<TContext> Named(StepNode<TContext> node)
    {
        node.PartName = Name;
        return node;
    }

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Step(this, state);
}

internal sealed record BehaviorPart<TIn, TOut>(string Name, PartKind Kind, IBehavior<TIn, TOut> Behavior)
    : PipelinePart(Name, Kind, typeof(TIn), typeof(TOut))
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    private readonly BehaviorNodeFactory<TIn, TOut>? _factory = PartNodes.Of(Behavior);

    public override bool HasOwnNode => _factory is not null;

    public override Type Type => Behavior.GetType();

    public Next<TIn> Node(Next<TOut> next) => _factory is null ? new SharedBehaviorNode<TIn, TOut>(Behavior, next) : _factory(Behavior, next);

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Behavior(this, state);
}

internal sealed record TerminatorPart<TContext>(string Name, ITerminator<TContext> Terminator)
    : PipelinePart(Name, PartKind.Terminator, typeof(TContext), Out: null)
    where TContext : PipelineContext
{
    private readonly TerminatorNodeFactory<TContext>? _factory = PartNodes.Of(Terminator);

    public override bool HasOwnNode => _factory is not null;

    public override Type Type => Terminator.GetType();

    public Next<TContext> Node() => _factory is null ? new SharedTerminatorNode<TContext>(Terminator) : _factory(Terminator);

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Terminator(this, state);
}

/// <summary>Gives a form the parts with their context types, which the list erases.</summary>
internal interface IPartVisitor<in TState, out TResult>
{
    TResult Step<TContext>(StepPart<TContext> part, TState state)
        where TContext : PipelineContext;

    TResult Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, TState state)
        where TIn : PipelineContext
        where TOut : PipelineContext;

    TResult Terminator<TContext>(TerminatorPart<TContext> part, TState state)
        where TContext : PipelineContext;
}
