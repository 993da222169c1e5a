using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution.Fused;

/// <summary>A run of parts that act only before the rest of the chain, whose task is returned.</summary>
internal sealed class EnteringRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : FusedRun<TContext>(steps, next)
    where TContext : PipelineContext
{
    // A loop of its own: with a local passed by reference, as Enter needs two, the last call is no jump, and an exception from the
    // rest of the chain has a frame more to unwind.
    public override ValueTask InvokeAsync(TContext context)
    {
        StepNode<TContext>[] run = Steps;
        for (int i = 0; i < run.Length; i++)
        {
            ValueTask<StepOutcome> before = run[i].BeforeAsync(context);
            if (!before.IsCompleted)
            {
                return AwaitBefore(context, i, before);
            }

            if (before.GetAwaiter().GetResult() == StepOutcome.Stop)
            {
                return default;
            }
        }

        return Next.InvokeAsync(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ValueTask AwaitBefore(TContext context, int step, ValueTask<StepOutcome> before) => StepFrame.AwaitBefore(this, context, step, before);
}
