using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

internal sealed class BehaviorLink<TIn, TOut>(IBehavior<TIn, TOut> behavior) : ClosureLink
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next) =>
        await behavior.InvokeAsync((TIn)context, new ClosureNext<TOut>(next));
}
