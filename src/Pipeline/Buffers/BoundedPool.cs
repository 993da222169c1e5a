using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Buffers;

/// <summary>
/// A bounded pool of reusable objects. Threads: any thread may take or return objects. Objects beyond the bound are left to
/// the garbage collector, so a burst never becomes memory held for ever.
/// </summary>
/// <typeparam name="T">The pooled type; the caller resets an object before it returns it.</typeparam>
public sealed class BoundedPool<T>
    where T : class
{
    // One object waits outside the queue, where taking it costs a single exchange.
    private readonly int _queueCapacity;
    private readonly ConcurrentQueue<T> _items = new();
    private T? _fastItem;
    private int _count;

    /// <summary>Makes an empty pool.</summary>
    /// <param name="capacity">The most objects kept, at least 1.</param>
    public BoundedPool(int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        _queueCapacity = capacity - 1;
    }

    /// <summary>Takes an object, or returns false when the pool is empty.</summary>
    public bool TryTake([NotNullWhen(true)] out T? item)
    {
        item = _fastItem;
        if (item is not null && Interlocked.CompareExchange(ref _fastItem, null, item) == item)
        {
            return true;
        }

        if (_items.TryDequeue(out item))
        {
            Interlocked.Decrement(ref _count);
            return true;
        }

        return false;
    }

    /// <summary>Returns an object to the pool. The caller must not touch it afterwards.</summary>
    /// <returns>False when the pool was full and the object was dropped.</returns>
    public bool Return(T item)
    {
        if (_fastItem is null && Interlocked.CompareExchange(ref _fastItem, item, null) is null)
        {
            return true;
        }

        if (Interlocked.Increment(ref _count) <= _queueCapacity)
        {
            _items.Enqueue(item);
            return true;
        }

        Interlocked.Decrement(ref _count);
        return false;
    }
}
