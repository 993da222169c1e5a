using System.Collections.Concurrent;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// The channel routes of this process by name. A publisher may be created before its route, since services are created before routes start;
/// publishing then throws. Threads: any.
/// </summary>
internal sealed class ChannelPublishers
{
    private readonly RouteTable<ChannelQueue> _queues = new();
    private readonly ConcurrentDictionary<string, ChannelPublisher> _publishers = new(StringComparer.OrdinalIgnoreCase);

    public ChannelPublishers() => Default = new ChannelPublisher(this, route: null);

    /// <summary>The publisher of the only channel route, or of the one named <c>default</c>.</summary>
    public ChannelPublisher Default { get; }

    public ChannelPublisher For(string route) => _publishers.GetOrAdd(route, static (name, self) => new ChannelPublisher(self, name), this);

    /// <summary>Finds a route's queue; null means the default.</summary>
    /// <exception cref="InvalidOperationException">There is none; the message lists the existing ones.</exception>
    public ChannelQueue Find(string? route) => _queues.TryFind(route, out ChannelQueue? queue) ? queue : throw NotFound(route);

    /// <summary>Adds a route's queue. After its end it stays, refusing messages but with its counters, until the route has a new one.</summary>
    public void Add(string route, ChannelQueue queue) => _queues.Add(route, queue);

    private InvalidOperationException NotFound(string? route)
    {
        string problem = route is null ? "There is no default channel route" : $"Route '{route}' has no channel source, or has not started";
        return new InvalidOperationException($"{problem}. Existing channel routes: {_queues.Names}.");
    }
}

/// <summary>The publisher of one route, with counters for reports.</summary>
internal sealed class ChannelPublisher(ChannelPublishers routes, string? route) : IMessagePublisher
{
    public long Published => Queue.Published;

    /// <summary>Messages completed or dead-lettered.</summary>
    public long Settled => Queue.Completed + Queue.DeadLettered;

    public long Completed => Queue.Completed;

    public long DeadLettered => Queue.DeadLettered;

    /// <summary>Deliveries that were abandoned.</summary>
    public long Returned => Queue.Returned;

    /// <summary>Messages that a shutdown could neither store nor write to the dead letters.</summary>
    public long Lost => Queue.Lost;

    /// <summary>Messages accepted and not yet settled.</summary>
    public int Unsettled => Queue.Unsettled;

    private ChannelQueue Queue => routes.Find(route);

    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id = null, CancellationToken cancellationToken = default) =>
        Queue.PublishAsync(body, id, MessageProperties.None, cancellationToken);

    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id, MessageProperties properties, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(properties);
        return Queue.PublishAsync(body, id, properties, cancellationToken);
    }

    /// <summary>Completes when no accepted message is unsettled.</summary>
    public Task WhenSettledAsync(CancellationToken cancellationToken) => Queue.WhenEmptyAsync(cancellationToken);
}
