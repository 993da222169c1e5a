using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution;

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

/// <summary>One part of the chain, with the context type erased: a closure chain does not know its stages.</summary>
internal abstract class ClosureLink
{
    public abstract Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next);
}

internal sealed class BehaviorLink<TIn, TOut>(IBehavior<TIn, TOut> behavior) : ClosureLink
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next) =>
        await behavior.InvokeAsync((TIn)context, new ClosureNext<TOut>(next));
}

internal sealed class StepLink<TContext>(IStep<TContext> step, string name) : ClosureLink
    where TContext : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next)
    {
        TContext own = (TContext)context;
        StepOutcome entering = await step.BeforeAsync(own);
        if (entering == StepOutcome.Stop)
        {
            return;
        }

        if (entering != StepOutcome.Continue)
        {
            throw PartDefectException.Undecided(name, entering);
        }

        try
        {
            await next(context);
        }
        catch (Exception exception)
        {
            if (await step.OnErrorAsync(own, exception) == ErrorOutcome.Handled)
            {
                return;
            }

            throw;
        }

        await step.AfterAsync(own);
    }
}

internal sealed class TerminatorLink<TContext>(ITerminator<TContext> terminator) : ClosureLink
    where TContext : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next) =>
        await terminator.InvokeAsync((TContext)context);
}

internal sealed class ClosureNext<TContext>(Func<PipelineContext, Task> next) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => new(next(context));
}
