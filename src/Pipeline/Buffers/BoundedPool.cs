using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Quayside.Pipeline.Buffers;

/// <summary>
/// A bounded pool of reusable objects. Threads: any thread may take or return objects. Objects beyond the bound are left to
/// the garbage collector, so a burst never becomes memory held for ever.
/// </summary>
/// <typeparam name="T">The pooled type; the caller resets an object before it returns it.</typeparam>
internal sealed class BoundedPool<T>
    where T : class
{
    // Objects outside the queue: most threads take the one that they returned last, with a single exchange that no other thread disturbs.
    private const int MaxCells = 16;

    private readonly Cell[] _cells;
    private readonly int _queueCapacity;
    private readonly ConcurrentQueue<T> _items = new();
    private int _count;

    /// <summary>Makes an empty pool.</summary>
    /// <param name="capacity">The maximum number of objects kept, at least 1; from 32 on, up to 15 more.</param>
    public BoundedPool(int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        _cells = new Cell[capacity < 2 * MaxCells ? 1 : MaxCells];
        _queueCapacity = capacity - 1;
    }

    /// <summary>Idle objects; exact while no thread takes or returns one.</summary>
    internal int Count
    {
        get
        {
            int count = Volatile.Read(ref _count);
            foreach (ref Cell cell in _cells.AsSpan())
            {
                count += cell.Item is null ? 0 : 1;
            }

            return count;
        }
    }

    private ref Cell Nearest => ref _cells[Environment.CurrentManagedThreadId & (_cells.Length - 1)];

    /// <summary>Takes an object, or returns false when the pool is empty.</summary>
    public bool TryTake([NotNullWhen(true)] out T? item)
    {
        if (TryTake(ref Nearest, out item))
        {
            return true;
        }

        if (_items.TryDequeue(out item))
        {
            Interlocked.Decrement(ref _count);
            return true;
        }

        foreach (ref Cell cell in _cells.AsSpan())
        {
            if (TryTake(ref cell, out item))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns an object to the pool. The caller must not touch it afterwards.</summary>
    /// <returns>False when the pool was full and the object was dropped.</returns>
    public bool Return(T item)
    {
        ref Cell cell = ref Nearest;
        if (cell.Item is null && Interlocked.CompareExchange(ref cell.Item, item, null) is null)
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

    private static bool TryTake(ref Cell cell, [NotNullWhen(true)] out T? item)
    {
        item = cell.Item;
        return item is not null && Interlocked.CompareExchange(ref cell.Item, null, item) == item;
    }

    private struct Cell
    {
        public T? Item;

        // Two cache lines per cell, because processors fetch them in pairs.
        private Padding _padding;
    }

    [InlineArray(15)]
    private struct Padding
    {
        private long _first;
    }
}
