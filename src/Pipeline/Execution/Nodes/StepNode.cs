using System.Runtime.CompilerServices;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Frames;

namespace Pipeline.Execution.Nodes;

/// <summary>
/// A step wired into a chain: invoked, it runs the step around the next node; the Fused form makes the three calls itself and
/// gives it no next. The generator derives one class a step type, whose calls are direct; steps it has not seen share one class.
/// </summary>
/// <typeparam name="TContext">The stage's context.</typeparam>
/// <param name="next">The rest of the chain; null where the node is part of a fused run.</param>
public abstract class StepNode<TContext>(Next<TContext>? next) : Next<TContext>
    where TContext : PipelineContext
{
    /// <summary>The rest of the chain.</summary>
    protected Next<TContext> Rest { get; } = next!;

    /// <summary><see cref="IStep{TContext}.BeforeAsync"/>.</summary>
    public virtual ValueTask<StepOutcome> BeforeAsync(TContext context) => new(StepOutcome.Continue);

    /// <summary><see cref="IStep{TContext}.AfterAsync"/>.</summary>
    public virtual ValueTask AfterAsync(TContext context) => default;

    /// <summary><see cref="IStep{TContext}.OnErrorAsync"/>.</summary>
    public virtual ValueTask<ErrorOutcome> OnErrorAsync(TContext context, Exception exception) => new(ErrorOutcome.Rethrow);

    /// <summary>Everything behind Before: the rest of the chain, then After or OnError.</summary>
    protected abstract ValueTask InvokeRestAsync(TContext context);

    /// <summary>Goes on when Before did not complete at once.</summary>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    protected async ValueTask AwaitBeforeAsync(ValueTask<StepOutcome> before, TContext context)
    {
        if (await before != StepOutcome.Stop)
        {
            await InvokeRestAsync(context);
        }
    }

    /// <summary>Goes on when the rest of the chain did not complete at once.</summary>
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    protected async ValueTask AwaitRestAsync(ValueTask rest, TContext context)
    {
        try
        {
            await rest;
        }
        catch (Exception exception)
        {
            if (await OnErrorAsync(context, exception) == ErrorOutcome.Handled)
            {
                return;
            }

            throw;
        }

        await AfterAsync(context);
    }
}
