using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution.Nodes;

/// <summary>The node of every behaviour that has none of its own.</summary>
internal sealed class SharedBehaviorNode<TIn, TOut>(IBehavior<TIn, TOut> behavior, Next<TOut> next) : Next<TIn>
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    public override ValueTask InvokeAsync(TIn context) => behavior.InvokeAsync(context, next);
}
