using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Building;

internal sealed record BehaviorPart<TIn, TOut>(string Name, PartKind Kind, IBehavior<TIn, TOut> Behavior)
    : PipelinePart(Name, Kind, typeof(TIn), typeof(TOut))
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Behavior(this, state);
}
