using Pipeline.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Execution;

/// <summary>A composed chain. Immutable; any number of messages may pass it concurrently, each with its own context.</summary>
/// <typeparam name="TContext">The first stage's context.</typeparam>
public interface IPipeline<in TContext>
    where TContext : PipelineContext
{
    /// <summary>The chain as text, one line per part: pinned by tests and printed by <c>--print-pipeline</c>.</summary>
    string Description { get; }

    /// <summary>
    /// The part whose code threw, such as <c>the step Validate</c>, by the exception's stack; null when that does not show it. Costs a stack walk.
    /// </summary>
    string? FindPart(Exception exception) => null;

    /// <summary>
    /// Runs the chain for one message. Await the result once. If the context's token is already cancelled, the call ends with an
    /// <see cref="OperationCanceledException"/> before the first part; within the chain the parts observe the token.
    /// </summary>
    ValueTask InvokeAsync(TContext context);
}

internal sealed class ComposedPipeline<TContext>(
    Next<TContext> head, string name, PipelineForm form, PipelinePart[] parts, PartOrigin origin) : IPipeline<TContext>
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
