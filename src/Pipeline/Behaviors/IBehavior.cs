using Quayside.Pipeline.Contexts;

namespace Quayside.Pipeline.Behaviors;

/// <summary>
/// A part that wraps the rest of the chain: a retry, a scope. With two different context types it is a connector,
/// which ends one stage and opens the next. Singletons: per-message state belongs in the context. A part returns only after the rest of the chain
/// has: the context is reused for another message. To limit its time, replace the context's cancellation token.
/// <para>
/// A part that wraps should complete synchronously when the rest of the chain did, and otherwise await in a separate
/// method: an <c>async</c> body costs about 90 ns and 120 B per part as soon as anything suspends.
/// </para>
/// </summary>
/// <typeparam name="TIn">The context this part receives.</typeparam>
/// <typeparam name="TOut">The context the rest of the chain receives.</typeparam>
public interface IBehavior<in TIn, TOut>
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    /// <summary>Runs the part, which decides whether and how often the rest of the chain runs.</summary>
    ValueTask InvokeAsync(TIn context, Next<TOut> next);
}

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

/// <summary>
/// A connector that calls the rest of the chain once for each of several parts of its message, with a context each, and
/// joins their settlements with <see cref="Settlements.Settlement.Combine"/>. Marked by type so that the printed chain shows it.
/// </summary>
/// <typeparam name="TIn">The context of the whole message.</typeparam>
/// <typeparam name="TOut">The context of one part.</typeparam>
public interface IFork<in TIn, TOut> : IBehavior<TIn, TOut>
    where TIn : PipelineContext
    where TOut : PipelineContext;

/// <summary>The last part of a chain, which handles the message.</summary>
/// <typeparam name="TContext">The last stage's context.</typeparam>
public interface ITerminator<in TContext>
    where TContext : PipelineContext
{
    /// <summary>Handles the message and decides its settlement.</summary>
    ValueTask InvokeAsync(TContext context);
}
