using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>
/// The rest of the chain, as a part sees it. Immutable: a part may call it never, once or several times (a retry), even
/// concurrently with different contexts. It may throw synchronously or return a faulted task: treat both alike.
/// </summary>
/// <typeparam name="TContext">The context of the stage that follows.</typeparam>
public abstract class Next<TContext>
    where TContext : PipelineContext
{
    /// <summary>Runs the rest of the chain; await the result, once, before the part returns.</summary>
    public abstract ValueTask InvokeAsync(TContext context);
}
