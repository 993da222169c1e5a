using Pipeline.Behaviors;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Pipeline.Execution;

internal sealed class ComposedPipeline<TContext>(Next<TContext> head, string name, PipelineForm form, PipelinePart[] parts) : IPipeline<TContext>
    where TContext : PipelineContext
{
    public string Description => ChainText.Describe(name, form, parts);

    public ValueTask InvokeAsync(TContext context) => context.CancellationToken.IsCancellationRequested
        ? ValueTask.FromCanceled(context.CancellationToken)
        : head.InvokeAsync(context);
}
