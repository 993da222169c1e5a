namespace Lab.Techniques.Channels;

/// <summary>A bounded queue as it was written before channels: a lock, and threads that wait in it.</summary>
internal sealed class LockedQueue<T>(int capacity)
{
    // Monitor.Wait and Pulse need an object, not a Lock.
    private readonly object _gate = new();
    private readonly Queue<T> _items = new(capacity);

    public void Enqueue(T item)
    {
        lock (_gate)
        {
            while (_items.Count == capacity)
            {
                Monitor.Wait(_gate);
            }

            _items.Enqueue(item);
            if (_items.Count == 1)
            {
                Monitor.PulseAll(_gate);
            }
        }
    }

    public T Dequeue()
    {
        lock (_gate)
        {
            while (_items.Count == 0)
            {
                Monitor.Wait(_gate);
            }

            T item = _items.Dequeue();
            if (_items.Count == capacity - 1)
            {
                Monitor.PulseAll(_gate);
            }

            return item;
        }
    }
}
