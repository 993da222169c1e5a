using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution.Nodes;

namespace Quayside.Pipeline.Execution;

/// <summary>
/// Several steps in a row: Before in order, the rest of the chain, then After in reverse, or OnError in reverse over the steps
/// that were entered. A loop while everything completes synchronously, otherwise one frame for all steps. The form chooses the
/// class of the run when the chain is composed, by the methods that the steps have.
/// </summary>
internal abstract class FusedRun<TContext>(StepNode<TContext>[] steps, Next<TContext> next) : Next<TContext>, IStepRun
    where TContext : PipelineContext
{
    /// <summary>The steps, the first one first.</summary>
    protected StepNode<TContext>[] Steps { get; } = steps;

    /// <summary>The rest of the chain.</summary>
    protected Next<TContext> Next { get; } = next;

    // Safe: the frame passes on the context that this run gave it.
    StepOutcome? IStepRun.Enter(PipelineContext context, ref int entered, out ValueTask<StepOutcome> underWay) =>
        Enter(Unsafe.As<TContext>(context), ref entered, out underWay);

    bool IStepRun.Continues(int step, StepOutcome outcome) => Steps[step].Continues(outcome);

    ValueTask IStepRun.InvokeNextAsync(PipelineContext context) => Next.InvokeAsync(Unsafe.As<TContext>(context));

    bool IStepRun.TryLeave(PipelineContext context, ref int entered, out ValueTask underWay) =>
        TryLeave(Unsafe.As<TContext>(context), ref entered, out underWay);

    ValueTask<ErrorOutcome> IStepRun.OnErrorAsync(PipelineContext context, int step, Exception exception) =>
        Steps[step].OnErrorAsync(Unsafe.As<TContext>(context), exception);

    /// <inheritdoc cref="IStepRun.Enter"/>
    protected StepOutcome? Enter(TContext context, ref int entered, out ValueTask<StepOutcome> underWay)
    {
        for (int i = entered; i < Steps.Length; i++)
        {
            // Set before the call: an exception of a step's own Before is not shown to its OnError.
            entered = i;
            ValueTask<StepOutcome> before = Steps[i].BeforeAsync(context);
            if (!before.IsCompleted)
            {
                underWay = before;
                return null;
            }

            if (!Steps[i].Continues(before.GetAwaiter().GetResult()))
            {
                underWay = default;
                return StepOutcome.Stop;
            }
        }

        entered = Steps.Length;
        underWay = default;
        return StepOutcome.Continue;
    }

    /// <inheritdoc cref="IStepRun.TryLeave"/>
    protected bool TryLeave(TContext context, ref int entered, out ValueTask underWay)
    {
        for (int i = entered - 1; i >= 0; i--)
        {
            // Set before the call: an exception of a step's own After is not shown to its OnError.
            entered = i;
            ValueTask after = Steps[i].AfterAsync(context);
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
