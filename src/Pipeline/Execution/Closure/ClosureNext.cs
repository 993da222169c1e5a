using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

internal sealed class ClosureNext<TContext>(Func<PipelineContext, Task> next) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => new(next(context));
}
