namespace Messaging.Sources.Channels;

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
    public int Held => Queue.Held;

    private ChannelQueue Queue => routes.Find(route);

    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id = null, CancellationToken cancellationToken = default) =>
        Queue.PublishAsync(body, id, cancellationToken);

    /// <summary>Completes when no accepted message is unsettled.</summary>
    public Task WhenSettledAsync(CancellationToken cancellationToken) => Queue.WhenEmptyAsync(cancellationToken);
}
