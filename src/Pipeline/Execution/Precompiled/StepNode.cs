using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Precompiled;

/// <summary>Runs a step around the next node. Allocates nothing as long as the step and the rest complete synchronously.</summary>
internal sealed class StepNode<TContext>(IStep<TContext> step, Next<TContext> next) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context)
    {
        ValueTask<StepOutcome> before = step.BeforeAsync(context);
        if (!before.IsCompletedSuccessfully)
        {
            return AwaitBeforeAsync(before, context);
        }

        return before.Result == StepOutcome.Stop ? default : InvokeNextAsync(context);
    }

    private ValueTask InvokeNextAsync(TContext context)
    {
        ValueTask rest;
        try
        {
            rest = next.InvokeAsync(context);
        }
        catch (Exception exception)
        {
            rest = ValueTask.FromException(exception);
        }

        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitRestAsync(rest, context);
        }

        // Reading the result hands a pooled task source back.
        rest.GetAwaiter().GetResult();
        return step.AfterAsync(context);
    }

    private async ValueTask AwaitBeforeAsync(ValueTask<StepOutcome> before, TContext context)
    {
        if (await before != StepOutcome.Stop)
        {
            await InvokeNextAsync(context);
        }
    }

    private async ValueTask AwaitRestAsync(ValueTask rest, TContext context)
    {
        try
        {
            await rest;
        }
        catch (Exception exception)
        {
            if (await step.OnErrorAsync(context, exception) == ErrorOutcome.Handled)
            {
                return;
            }

            throw;
        }

        await step.AfterAsync(context);
    }
}
