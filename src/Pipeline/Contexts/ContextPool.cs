using Pipeline.Buffers;

namespace Pipeline.Contexts;

/// <summary>A bounded pool of contexts. A context is reset when it is returned, so a rented one is always clean.</summary>
/// <param name="capacity">Idle contexts kept; the concurrency limit is enough.</param>
public sealed class ContextPool<TContext>(int capacity)
    where TContext : PipelineContext, new()
{
    private readonly BoundedPool<TContext> _pool = new(capacity);
    private int _outstanding;

    /// <summary>Contexts rented and not yet returned.</summary>
    public int Outstanding => Volatile.Read(ref _outstanding);

    /// <summary>Rents a clean context.</summary>
    public TContext Rent()
    {
        Interlocked.Increment(ref _outstanding);
        return _pool.TryTake(out TContext? context) ? context : new TContext();
    }

    /// <summary>Returns the context to the pool; the caller must not touch it afterwards.</summary>
    public void Return(TContext context)
    {
        context.Reset();
        Interlocked.Decrement(ref _outstanding);
        _pool.Return(context);
    }
}
