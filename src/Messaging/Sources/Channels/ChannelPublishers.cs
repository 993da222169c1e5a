using System.Collections.Concurrent;

namespace Messaging.Sources.Channels;

/// <summary>
/// The channel routes of this process by name. A publisher can be had before its route exists, since services are made before
/// the routes are started; publishing then says so. Threads: any.
/// </summary>
internal sealed class ChannelPublishers
{
    private readonly RouteTable<ChannelQueue> _queues = new();
    private readonly ConcurrentDictionary<string, ChannelPublisher> _publishers = new(StringComparer.OrdinalIgnoreCase);

    public ChannelPublishers() => Default = new ChannelPublisher(this, route: null);

    /// <summary>The publisher of the only channel route, or of the one named <c>default</c>.</summary>
    public ChannelPublisher Default { get; }

    /// <summary>The publisher of one route.</summary>
    public ChannelPublisher For(string route) => _publishers.GetOrAdd(route, static (name, self) => new ChannelPublisher(self, name), this);

    /// <summary>Finds a route's queue; null means the default.</summary>
    /// <exception cref="InvalidOperationException">There is none; says which there are.</exception>
    public ChannelQueue Find(string? route) => _queues.TryFind(route, out ChannelQueue? queue) ? queue : throw NotFound(route);

    /// <summary>Adds a route's queue. It stays after its end, refusing messages and showing its counters, until the route has a new one.</summary>
    public void Add(string route, ChannelQueue queue) => _queues.Add(route, queue);

    private InvalidOperationException NotFound(string? route)
    {
        string problem = route is null ? "Which channel route is meant cannot be told" : $"Route '{route}' has no channel source, or was not started yet";
        return new InvalidOperationException($"{problem}. Channel routes now: {_queues.Names}.");
    }
}
