using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>
/// The rest of the chain, as a part sees it. Immutable, so it may be called never, once or again (a retry), also
/// concurrently with different contexts. May throw synchronously or return a faulted task: treat both alike.
/// </summary>
/// <typeparam name="TContext">The context of the stage that follows.</typeparam>
public abstract class Next<TContext>
    where TContext : PipelineContext
{
    /// <summary>Runs the rest of the chain; await the result once.</summary>
    public abstract ValueTask InvokeAsync(TContext context);
}
