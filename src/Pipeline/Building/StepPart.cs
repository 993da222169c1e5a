using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Building;

internal sealed record StepPart<TContext>(string Name, IStep<TContext> Step)
    : PipelinePart(Name, PartKind.Step, typeof(TContext), typeof(TContext))
    where TContext : PipelineContext
{
    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Step(this, state);
}
