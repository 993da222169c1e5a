using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Parts;

namespace Pipeline.Execution;

internal sealed class ComposedPipeline<TContext>(Next<TContext> head, string name, PipelineForm form, PipelinePart[] parts, PartOrigin origin) : IPipeline<TContext>
    where TContext : PipelineContext
{
    public string Description => ChainText.Describe(name, form, parts);

    public string? FindPart(Exception exception) => origin.Find(exception);

    public ValueTask InvokeAsync(TContext context)
    {
        if (context.CancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(context.CancellationToken);
        }

        // Async locals that parts set, such as the current activity, flow to the parts inside and never to the caller. Most chains
        // have no async method around the whole that would restore the caller's context.
        ExecutionContext? before = ExecutionContext.Capture();
        try
        {
            return head.InvokeAsync(context);
        }
        finally
        {
            if (before is not null && !ReferenceEquals(ExecutionContext.Capture(), before))
            {
                ExecutionContext.Restore(before);
            }
        }
    }
}
