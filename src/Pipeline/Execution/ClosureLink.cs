using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution;

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
