namespace Worker.Sources.Sqs;

/// <summary>
/// The ids of the messages finished last: a redelivery of one is deleted, not stored again. Bounded: the oldest is forgotten
/// first. Threads: any.
/// </summary>
internal sealed class DoneIds(int capacity)
{
    private readonly Lock _lock = new();
    private readonly HashSet<Guid> _ids = new(capacity);
    private readonly Guid[] _ring = new Guid[capacity];
    private long _added;

    public bool Contains(Guid id)
    {
        lock (_lock)
        {
            return _ids.Contains(id);
        }
    }

    public void Add(Guid id)
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
