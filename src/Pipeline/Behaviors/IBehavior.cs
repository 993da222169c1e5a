using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>
/// A part that wraps the rest of the chain: a retry, a timeout, a scope. With two different context types it is a connector,
/// which ends one stage and opens the next. Singletons: per-message state belongs in the context.
/// <para>
/// Parts that wrap should complete synchronously when the rest of the chain did, and await in a method of their own
/// otherwise: an <c>async</c> body costs about 90 ns and 120 B a part as soon as something really suspends.
/// </para>
/// </summary>
/// <typeparam name="TIn">The context this part receives.</typeparam>
/// <typeparam name="TOut">The context the rest of the chain receives.</typeparam>
public interface IBehavior<in TIn, TOut>
    where TIn : PipelineContext
    where TOut : PipelineContext
{
    /// <summary>Runs the part; whether, how often and around what the rest runs is its own decision.</summary>
    ValueTask InvokeAsync(TIn context, Next<TOut> next);
}
