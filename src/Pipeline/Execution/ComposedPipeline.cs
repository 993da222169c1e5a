using Pipeline.Behaviors;
using Pipeline.Contexts;

namespace Pipeline.Execution;

internal sealed class ComposedPipeline<TContext>(Next<TContext> head, string description) : IPipeline<TContext>
    where TContext : PipelineContext
{
    public string Description { get; } = description;

    public ValueTask InvokeAsync(TContext context) => context.CancellationToken.IsCancellationRequested
        ? ValueTask.FromCanceled(context.CancellationToken)
        : head.InvokeAsync(context);
}
