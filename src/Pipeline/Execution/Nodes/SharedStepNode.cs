using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

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
        if (!before.IsCompletedSuccessfully)
        {
            return AwaitBeforeAsync(before, context);
        }

        if (before.Result == StepOutcome.Stop)
        {
            return default;
        }

        ValueTask rest;
        try
        {
            rest = Rest.InvokeAsync(context);
        }
        catch (Exception exception)
        {
            return UnwindAsync(context, exception);
        }

        if (!rest.IsCompletedSuccessfully)
        {
            return AwaitRestAsync(rest, context);
        }

        // Reading the result hands a pooled task source back.
        rest.GetAwaiter().GetResult();
        return step.AfterAsync(context);
    }
}
