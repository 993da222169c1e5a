using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution;

/// <summary>A run of steps that act only before the rest of the chain; the task of the rest is returned as it is.</summary>
internal sealed class EnteringRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : FusedRun<TContext>(steps, next)
    where TContext : PipelineContext
{
    // Does not use Enter, which needs two locals passed by reference: they would rule out a tail call to the rest of the chain, and
    // an exception from there would have one more stack frame to unwind.
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

            if (!run[i].Continues(before.GetAwaiter().GetResult()))
            {
                return default;
            }
        }

        return Next.InvokeAsync(context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ValueTask AwaitBefore(TContext context, int step, ValueTask<StepOutcome> before) => StepFrame.AwaitBefore(this, context, step, before);
}
