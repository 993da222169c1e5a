using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;
using Pipeline.Frames;

namespace Pipeline.Execution.Fused;

/// <summary>
/// Several steps in a row: Before forwards, the rest of the chain, After backwards, or OnError backwards over the steps that
/// were entered. No state machine while everything completes at once, one for all of them otherwise; an exception is caught
/// and thrown once a run, not once a step.
/// </summary>
internal sealed class FusedRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context)
    {
        // Steps that an exception from here on is shown to.
        int entered = 0;
        ValueTask rest;
        try
        {
            for (; entered < steps.Length; entered++)
            {
                ValueTask<StepOutcome> before = steps[entered].BeforeAsync(context);
                if (!before.IsCompletedSuccessfully)
                {
                    return AwaitBeforeAsync(before, context, entered);
                }

                if (before.Result == StepOutcome.Stop)
                {
                    return Leave(context, entered);
                }
            }

            rest = next.InvokeAsync(context);
        }
        catch (Exception exception)
        {
            return AwaitRestAsync(default, context, entered, exception);
        }

        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitRestAsync(rest, context, entered, error: null);
        }

        // Reading the result hands a pooled task source back.
        rest.GetAwaiter().GetResult();
        return Leave(context, entered);
    }

    private ValueTask Leave(TContext context, int entered)
    {
        try
        {
            while (entered > 0)
            {
                entered--;
                ValueTask after = steps[entered].AfterAsync(context);
                if (!after.IsCompletedSuccessfully)
                {
                    return AwaitRestAsync(after, context, entered, error: null);
                }

                after.GetAwaiter().GetResult();
            }
        }
        catch (Exception exception)
        {
            return AwaitRestAsync(default, context, entered, exception);
        }

        return default;
    }

    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitBeforeAsync(ValueTask<StepOutcome> before, TContext context, int entered)
    {
        ValueTask rest = default;
        Exception? error = null;
        try
        {
            StepOutcome outcome = await before;
            while (outcome != StepOutcome.Stop && ++entered < steps.Length)
            {
                outcome = await steps[entered].BeforeAsync(context);
            }

            if (outcome != StepOutcome.Stop)
            {
                rest = next.InvokeAsync(context);
            }
        }
        catch (Exception exception)
        {
            error = exception;
        }

        await AwaitRestAsync(rest, context, entered, error);
    }

    /// <summary>Awaits what is under way, unless <paramref name="error"/> has ended it already, and leaves the steps entered.</summary>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private async ValueTask AwaitRestAsync(ValueTask rest, TContext context, int entered, Exception? error)
    {
        bool awaitRest = error is null;
        while (true)
        {
            try
            {
                if (awaitRest)
                {
                    awaitRest = false;
                    await rest;
                }

                while (entered > 0)
                {
                    // Before the call: a step's own After and OnError are not shown to its OnError.
                    StepNode<TContext> step = steps[--entered];
                    if (error is null)
                    {
                        await step.AfterAsync(context);
                    }
                    else if (await step.OnErrorAsync(context, error) == ErrorOutcome.Handled)
                    {
                        error = null;
                    }
                }

                break;
            }
            catch (Exception exception)
            {
                error = exception;
            }
        }

        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }
    }
}
