using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution.Nodes;

/// <summary>The node of every behaviour that has none of its own.</summary>
internal sealed class SharedBehaviorNode<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next) : Next<TIn>
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override ValueTask InvokeAsync(TIn context) => behavior.InvokeAsync(context, next);
}

/// <summary>The node of every step that has none of its own.</summary>
internal sealed class SharedStepNode<TContext>(IStep<TContext> step, Next<TContext>? next) : StepNode<TContext>(next)
    where TContext : PipelineContext
{
    public override ValueTask<StepOutcome> BeforeAsync(TContext context) => step.BeforeAsync(context);

    public override ValueTask AfterAsync(TContext context) => step.AfterAsync(context);

    public override ValueTask<ErrorOutcome> OnErrorAsync(TContext context, Exception exception) => step.OnErrorAsync(context, exception);

    public override ValueTask InvokeAsync(TContext context)
    {
        ValueTask<StepOutcome> before = step.BeforeAsync(context);
        if (!before.IsCompleted)
        {
            return AwaitBeforeAsync(before, context);
        }

        if (!Continues(before.GetAwaiter().GetResult()))
        {
            return default;
        }

        try
        {
            ValueTask rest = Rest.InvokeAsync(context);
            if (!rest.IsCompleted)
            {
                return AwaitRestAsync(rest, context);
            }

            // Returns a pooled task source to its pool, or throws: a task that has already failed need not go through the thread pool.
            rest.GetAwaiter().GetResult();
        }
        catch (Exception exception)
        {
            return UnwindAsync(context, exception);
        }

        return step.AfterAsync(context);
    }
}

/// <summary>The node of every terminator that has none of its own.</summary>
internal sealed class SharedTerminatorNode<TContext>(ITerminator<TContext> terminator) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => terminator.InvokeAsync(context);
}
