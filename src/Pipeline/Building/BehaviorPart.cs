using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Building;

internal sealed record BehaviorPart<TIn, TOut>(string Name, PartKind Kind, IBehavior<TIn, TOut> Behavior)
    : PipelinePart(Name, Kind, typeof(TIn), typeof(TOut))
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    private readonly BehaviorNodeFactory<TIn, TOut>? _factory = PartNodes.Of(Behavior);

    public override bool HasOwnNode => _factory is not null;

    public Next<TIn> Node(Next<TOut> next) => _factory is null ? new SharedBehaviorNode<TIn, TOut>(Behavior, next) : _factory(Behavior, next);

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Behavior(this, state);
}
