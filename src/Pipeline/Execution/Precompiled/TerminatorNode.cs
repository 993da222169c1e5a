using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Precompiled;

internal sealed class TerminatorNode<TContext>(ITerminator<TContext> terminator) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => terminator.InvokeAsync(context);
}
