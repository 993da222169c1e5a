using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution.Fused;

/// <summary>A run of Befores only: nothing follows the rest of the chain, whose task is passed through.</summary>
internal sealed class EnteringRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : FusedRun<TContext>(steps, next)
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context)
    {
        int entered = 0;
        return Enter(context, ref entered, out ValueTask<StepOutcome> before) switch
        {
            StepOutcome.Continue => Next.InvokeAsync(context),
            null => StepFrame.AwaitBefore(this, context, entered, before),
            _ => default,
        };
    }
}
