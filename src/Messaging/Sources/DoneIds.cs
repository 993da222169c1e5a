namespace Messaging.Sources;

/// <summary>
/// The ids of the messages finished last: a redelivery of one is deleted, not stored again. Bounded: the oldest is forgotten
/// first. Threads: any.
/// </summary>
internal sealed class DoneIds<TId>(int capacity)
    where TId : notnull
{
    private readonly Lock _lock = new();
    private readonly HashSet<TId> _ids = new(capacity);
    private readonly TId[] _ring = new TId[capacity];
    private long _added;

    public bool Contains(TId id)
    {
        lock (_lock)
        {
            return _ids.Contains(id);
        }
    }

    public void Add(TId id)
    {
        if (capacity == 0)
        {
            return;
        }

        lock (_lock)
        {
            if (!_ids.Add(id))
            {
                return;
            }

            int place = (int)(_added % capacity);
            if (_added >= capacity)
            {
                _ids.Remove(_ring[place]);
            }

            _ring[place] = id;
            _added++;
        }
    }
}
