using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Buffers;

/// <summary>
/// A bounded pool of reusable objects. Threads: any thread may take or give back. What exceeds the bound is left to the
/// garbage collector, so a burst never turns into memory held for ever.
/// </summary>
/// <typeparam name="T">The pooled type; whoever gives an object back has reset it.</typeparam>
public sealed class BoundedPool<T>(int capacity)
    where T : class
{
    private readonly ConcurrentQueue<T> _items = new();
    private T? _fastItem;
    private int _count;

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

    /// <summary>Gives an object back. The caller must not touch it afterwards.</summary>
    /// <returns>False when the pool was full and the object was dropped.</returns>
    public bool Return(T item)
    {
        if (_fastItem is null && Interlocked.CompareExchange(ref _fastItem, item, null) is null)
        {
            return true;
        }

        if (Interlocked.Increment(ref _count) <= capacity)
        {
            _items.Enqueue(item);
            return true;
        }

        Interlocked.Decrement(ref _count);
        return false;
    }
}
