using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Building;

internal sealed record StepPart<TContext>(string Name, IStep<TContext> Step)
    : PipelinePart(Name, PartKind.Step, typeof(TContext), typeof(TContext))
    where TContext : PipelineContext
{
    private readonly StepNodeFactory<TContext>? _factory = PartNodes.Of(Step);

    public override bool HasOwnNode => _factory is not null;

    public StepNode<TContext> Node(Next<TContext>? next) => _factory is null ? new SharedStepNode<TContext>(Step, next) : _factory(Step, next);

    public override TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state) => visitor.Step(this, state);
}
