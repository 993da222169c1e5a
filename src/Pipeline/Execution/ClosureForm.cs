using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Parts;

namespace Pipeline.Execution;

/// <summary>
/// The form the performance talk starts from: each part receives a <c>next</c> delegate that is made for this message and this
/// position. Kept simple on purpose: it is the reference for behaviour and the baseline for cost.
/// </summary>
internal sealed class ClosureForm() : PipelineForm("Closure"), IPartVisitor<object?, ClosureLink>
{
    public ClosureLink Step<TContext>(StepPart<TContext> part, object? state)
        where TContext : PipelineContext => new StepLink<TContext>(part.Step, part.Name);

    public ClosureLink Behavior<TIn, TOut>(BehaviorPart<TIn, TOut> part, object? state)
        where TIn : PipelineContext
        where TOut : PipelineContext => new BehaviorLink<TIn, TOut>(part.Behavior);

    public ClosureLink Terminator<TContext>(TerminatorPart<TContext> part, object? state)
        where TContext : PipelineContext => new TerminatorLink<TContext>(part.Terminator);

    internal override Next<TRoot> Compose<TRoot>(IReadOnlyList<PipelinePart> parts) =>
        new ClosureChain<TRoot>([.. parts.Select(part => part.Accept(this, state: null))]);
}

internal sealed class ClosureChain<TRoot>(ClosureLink[] links) : Next<TRoot>
    where TRoot : PipelineContext
{
    public override ValueTask InvokeAsync(TRoot context) => new(InvokeFromAsync(context, 0));

    private Task InvokeFromAsync(PipelineContext context, int index) =>
        links[index].InvokeAsync(context, inner => InvokeFromAsync(inner, index + 1));
}
