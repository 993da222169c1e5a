using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Building;

internal sealed record TerminatorPart<TContext>(string Name, ITerminator<TContext> Terminator)
    : PipelinePart(Name, PartKind.Terminator, typeof(TContext), Out: null)
    where TContext : PipelineContext
{
    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Terminator(this, state);
}
