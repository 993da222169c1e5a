using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Precompiled;

internal sealed class BehaviorNode<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next) : Next<TIn>
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override ValueTask InvokeAsync(TIn context) => behavior.InvokeAsync(context, next);
}
