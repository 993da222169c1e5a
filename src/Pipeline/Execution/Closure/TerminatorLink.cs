using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Closure;

internal sealed class TerminatorLink<TContext>(ITerminator<TContext> terminator) : ClosureLink
    where TContext : PipelineContext
{
    public override async Task InvokeAsync(PipelineContext context, Func<PipelineContext, Task> next) =>
        await terminator.InvokeAsync((TContext)context);
}
