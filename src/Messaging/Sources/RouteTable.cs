using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;

namespace Messaging.Sources;

/// <summary>What a source keeps for each route it feeds, for callers that name a route. Threads: any; looking up costs 0 B.</summary>
internal sealed class RouteTable<T>
    where T : class
{
    /// <summary>The route that is meant without a name when there are several.</summary>
    public const string DefaultRoute = "default";

    private readonly Lock _gate = new();
    private volatile FrozenDictionary<string, T> _entries = FrozenDictionary<string, T>.Empty;
    private volatile T? _default;

    /// <summary>True when there are routes.</summary>
    public bool Any => _entries.Count > 0;

    /// <summary>The routes there are, for messages to people.</summary>
    public string Names => _entries.Count == 0 ? "none" : string.Join(", ", _entries.Keys.Order(StringComparer.Ordinal));

    /// <summary>Finds a route's entry by its name, whatever its case; null means the only route, or the one named <see cref="DefaultRoute"/>.</summary>
    public bool TryFind(string? route, [NotNullWhen(true)] out T? entry)
    {
        entry = _default;
        return route is null ? entry is not null : _entries.TryGetValue(route, out entry);
    }

    /// <summary>Adds a route's entry; it takes the place of an earlier one.</summary>
    public void Add(string route, T entry) => Change(entries => entries[route] = entry);

    /// <summary>Removes a route's entry; nothing happens when it is another one by now.</summary>
    public void Remove(string route, T entry) => Change(entries =>
    {
        if (entries.TryGetValue(route, out T? current) && ReferenceEquals(current, entry))
        {
            entries.Remove(route);
        }
    });

    private void Change(Action<Dictionary<string, T>> change)
    {
        lock (_gate)
        {
            Dictionary<string, T> entries = new(_entries, StringComparer.OrdinalIgnoreCase);
            change(entries);
            _entries = entries.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
            _default = entries.Count == 1 ? entries.Values.First() : entries.GetValueOrDefault(DefaultRoute);
        }
    }
}
