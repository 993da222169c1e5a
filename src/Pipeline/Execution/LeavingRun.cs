using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution;

/// <summary>A run without OnError: exceptions pass through it, since catching and rethrowing one costs as much as the first throw.</summary>
internal sealed class LeavingRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : FusedRun<TContext>(steps, next)
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context)
    {
        int entered = 0;
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

            if (!rest.IsCompletedSuccessfully)
            {
                return rest;
            }

            // Returns a pooled task source to its pool.
            rest.GetAwaiter().GetResult();
        }

        return TryLeave(context, ref entered, out ValueTask after) ? default : StepFrame.AwaitRest(this, context, entered, after);
    }
}
