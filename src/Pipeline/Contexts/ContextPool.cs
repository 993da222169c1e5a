using Pipeline.Buffers;

namespace Pipeline.Contexts;

/// <summary>A bounded pool of contexts. A context is reset when it is returned, so a rented one is always clean.</summary>
/// <param name="capacity">Idle contexts kept; the concurrency limit is enough.</param>
public sealed class ContextPool<TContext>(int capacity)
    where TContext : PipelineContext, new()
{
    private readonly BoundedPool<TContext> _pool = new(capacity);

    // Contexts created and not dropped; a counter of rented ones would cost each message twice.
    private int _alive;

    /// <summary>Contexts rented and not yet returned; exact while no thread rents or returns one.</summary>
    public int Outstanding => Volatile.Read(ref _alive) - _pool.Count;

    /// <summary>Rents a clean context.</summary>
    public TContext Rent()
    {
        if (_pool.TryTake(out TContext? context))
        {
            return context;
        }

        Interlocked.Increment(ref _alive);
        return new TContext();
    }

    /// <summary>Returns the context to the pool; the caller must not touch it afterwards.</summary>
    public void Return(TContext context)
    {
        context.Reset();
        if (!_pool.Return(context))
        {
            Interlocked.Decrement(ref _alive);
        }
    }
}
