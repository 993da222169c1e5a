using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Execution.Nodes;

namespace Pipeline.Execution.Fused;

/// <summary>
/// Several steps in a row: Before forwards, the rest of the chain, After backwards, or OnError backwards over the steps that
/// were entered. A loop while everything completes at once, one frame for all of them otherwise.
/// </summary>
internal sealed class FusedRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : Next<TContext>, IStepRun
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
                ValueTask rest = next.InvokeAsync(context);
                if (!rest.IsCompleted)
                {
                    return StepFrame.AwaitRest(this, context, entered, rest);
                }

                // Hands a pooled task source back, or throws: what failed already is not worth a trip through the thread pool.
                rest.GetAwaiter().GetResult();
            }

            return TryLeave(context, ref entered, out ValueTask after) ? default : StepFrame.AwaitRest(this, context, entered, after);
        }
        catch (Exception exception)
        {
            return StepFrame.Unwind(this, context, entered, exception);
        }
    }

    // Safe: the frame passes on the context that this run gave it.
    StepOutcome? IStepRun.Enter(PipelineContext context, ref int entered, out ValueTask<StepOutcome> underWay) =>
        Enter(Unsafe.As<TContext>(context), ref entered, out underWay);

    ValueTask IStepRun.InvokeNextAsync(PipelineContext context) => next.InvokeAsync(Unsafe.As<TContext>(context));

    bool IStepRun.TryLeave(PipelineContext context, ref int entered, out ValueTask underWay) =>
        TryLeave(Unsafe.As<TContext>(context), ref entered, out underWay);

    ValueTask<ErrorOutcome> IStepRun.OnErrorAsync(PipelineContext context, int step, Exception exception) =>
        steps[step].OnErrorAsync(Unsafe.As<TContext>(context), exception);

    private StepOutcome? Enter(TContext context, ref int entered, out ValueTask<StepOutcome> underWay)
    {
        for (int i = entered; i < steps.Length; i++)
        {
            // Before the call: an exception of a step's own Before is not shown to its OnError.
            entered = i;
            ValueTask<StepOutcome> before = steps[i].BeforeAsync(context);
            if (!before.IsCompleted)
            {
                underWay = before;
                return null;
            }

            if (before.GetAwaiter().GetResult() == StepOutcome.Stop)
            {
                underWay = default;
                return StepOutcome.Stop;
            }
        }

        entered = steps.Length;
        underWay = default;
        return StepOutcome.Continue;
    }

    private bool TryLeave(TContext context, ref int entered, out ValueTask underWay)
    {
        for (int i = entered - 1; i >= 0; i--)
        {
            // Before the call: an exception of a step's own After is not shown to its OnError.
            entered = i;
            ValueTask after = steps[i].AfterAsync(context);
            if (!after.IsCompleted)
            {
                underWay = after;
                return false;
            }

            after.GetAwaiter().GetResult();
        }

        underWay = default;
        return true;
    }
}
