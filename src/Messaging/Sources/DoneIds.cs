namespace Messaging.Sources;

/// <summary>
/// The ids of the messages that were completed last, so that a source completes a redelivery of one without storing it again. Bounded:
/// the oldest is forgotten first. Threads: any.
/// </summary>
/// <typeparam name="TId">The id, compared by its default equality.</typeparam>
/// <param name="capacity">Ids remembered; 0 remembers none.</param>
public sealed class DoneIds<TId>(int capacity)
    where TId : notnull
{
    private readonly Lock _lock = new();
    private readonly HashSet<TId> _ids = new(capacity);
    private readonly TId[] _ring = new TId[capacity];
    private long _added;

    /// <summary>True while the id is remembered.</summary>
    public bool Contains(TId id)
    {
        lock (_lock)
        {
            return _ids.Contains(id);
        }
    }

    /// <summary>Remembers an id; one that is remembered keeps its age.</summary>
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
