using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

internal sealed class StepLink<TContext>(IStep<TContext> step) : ClosureLink
    where TContext : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next)
    {
        TContext own = (TContext)context;
        if (await step.BeforeAsync(own) == StepOutcome.Stop)
        {
            return;
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
