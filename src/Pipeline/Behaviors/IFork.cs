using Pipeline.Contexts;

namespace Pipeline.Behaviors;

/// <summary>
/// A connector that calls the rest of the chain once for each of several parts of its message, with a context each, and
/// joins their settlements with <see cref="Settlements.Settlement.Combine"/>. Marked by type so that the printed chain shows it.
/// </summary>
/// <typeparam name="TIn">The context of the whole message.</typeparam>
/// <typeparam name="TOut">The context of one part.</typeparam>
public interface IFork<in TIn, TOut> : IBehavior<TIn, TOut>
    where TIn : PipelineContext
    where TOut : PipelineContext;
