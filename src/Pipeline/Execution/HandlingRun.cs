using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution;

/// <summary>A run with at least one OnError: it catches what the steps or the rest of the chain throw, and shows it to the steps entered.</summary>
internal sealed class HandlingRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : FusedRun<TContext>(steps, next)
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context)
    {
        int entered = 0;
        try
        {
            StepOutcome? entering = Enter(context, ref entered, out ValueTask<StepOutcome> before);
            if (entering is null)
            {
                return StepFrame.AwaitBefore(this, context, entered, before);
            }

            if (entering == StepOutcome.Continue)
            {
                ValueTask rest = Next.InvokeAsync(context);
                if (!rest.IsCompleted)
                {
                    return StepFrame.AwaitRest(this, context, entered, rest);
                }

                // Returns a pooled task source to its pool, or throws: a task that has already failed need not go through the thread pool.
                rest.GetAwaiter().GetResult();
            }

            return TryLeave(context, ref entered, out ValueTask after) ? default : StepFrame.AwaitRest(this, context, entered, after);
        }
        catch (Exception exception)
        {
            return StepFrame.Unwind(this, context, entered, exception);
        }
    }
}
