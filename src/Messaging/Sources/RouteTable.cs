using System.Collections.Frozen;
using System.Diagnostics.CodeAnalysis;

namespace Quayside.Messaging.Sources;

/// <summary>Entries of a feature, one per route of the process, for callers that name a route. Threads: any; a look-up allocates nothing.</summary>
/// <typeparam name="T">The entry of a route.</typeparam>
internal sealed class RouteTable<T>
    where T : class
{
    /// <summary>The route that callers without a name get when there are several.</summary>
    public const string DefaultRoute = "default";

    private readonly Lock _gate = new();
    private volatile FrozenDictionary<string, T> _entries = FrozenDictionary<string, T>.Empty;
    private volatile T? _default;

    /// <summary>True when the table has a route.</summary>
    public bool Any => _entries.Count > 0;

    /// <summary>The routes' names, sorted and separated by commas, for error messages; <c>none</c> when there are none.</summary>
    public string Names => _entries.Count == 0 ? "none" : string.Join(", ", _entries.Keys.Order(StringComparer.Ordinal));

    /// <summary>Finds a route's entry by its case-insensitive name; null means the only route, or the one named <see cref="DefaultRoute"/>.</summary>
    public bool TryFind(string? route, [NotNullWhen(true)] out T? entry)
    {
        entry = _default;
        return route is null ? entry is not null : _entries.TryGetValue(route, out entry);
    }

    /// <summary>Adds a route's entry, or replaces it.</summary>
    public void Add(string route, T entry)
    {
        lock (_gate)
        {
            Dictionary<string, T> entries = new(_entries, StringComparer.OrdinalIgnoreCase) { [route] = entry };
            _entries = entries.ToFrozenDictionary(StringComparer.OrdinalIgnoreCase);
            _default = entries.Count == 1 ? entry : entries.GetValueOrDefault(DefaultRoute);
        }
    }
}
