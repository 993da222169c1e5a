using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>The node of every terminator that has none of its own.</summary>
internal sealed class SharedTerminatorNode<TContext>(ITerminator<TContext> terminator) : Next<TContext>
    where TContext : PipelineContext
{
    public override ValueTask InvokeAsync(TContext context) => terminator.InvokeAsync(context);
}
