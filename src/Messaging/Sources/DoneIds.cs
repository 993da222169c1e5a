namespace Quayside.Messaging.Sources;

/// <summary>
/// The ids of the last completed messages, so that a source can complete a redelivery without storing the message again. Bounded: the
/// oldest id is removed first. Threads: any.
/// </summary>
/// <typeparam name="TId">The id, compared with its default equality.</typeparam>
/// <param name="capacity">Maximum number of ids; 0 keeps none.</param>
internal sealed class DoneIds<TId>(int capacity)
    where TId : notnull
{
    private readonly Lock _lock = new();
    private readonly HashSet<TId> _ids = new(capacity);
    private readonly TId[] _ring = new TId[capacity];
    private long _added;

    /// <summary>True while the id is kept.</summary>
    public bool Contains(TId id)
    {
        lock (_lock)
        {
            return _ids.Contains(id);
        }
    }

    /// <summary>Adds an id; adding it again does not renew its age.</summary>
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
