using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Building;

internal sealed record TerminatorPart<TContext>(string Name, ITerminator<TContext> Terminator)
    : PipelinePart(Name, PartKind.Terminator, typeof(TContext), Out: null)
    where TContext : PipelineContext
{
    private readonly TerminatorNodeFactory<TContext>? _factory = PartNodes.Of(Terminator);

    public override bool HasOwnNode => _factory is not null;

    public Next<TContext> Node() => _factory is null ? new SharedTerminatorNode<TContext>(Terminator) : _factory(Terminator);

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Terminator(this, state);
}
