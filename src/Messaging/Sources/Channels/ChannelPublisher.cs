namespace Messaging.Sources.Channels;

/// <summary>One route's publisher, with the counters that reports show.</summary>
internal sealed class ChannelPublisher(ChannelPublishers routes, string? route) : IMessagePublisher
{
    /// <summary>Messages accepted.</summary>
    public long Published => Queue.Published;

    /// <summary>Messages that are through: completed or dead-lettered.</summary>
    public long Settled => Queue.Completed + Queue.DeadLettered;

    /// <summary>Messages the sink has.</summary>
    public long Completed => Queue.Completed;

    /// <summary>Messages in the dead letters.</summary>
    public long DeadLettered => Queue.DeadLettered;

    /// <summary>Deliveries that came back to be tried again.</summary>
    public long Returned => Queue.Returned;

    /// <summary>Messages that a stop left over and that the dead letters did not take.</summary>
    public long Lost => Queue.Lost;

    /// <summary>Messages accepted and not settled yet.</summary>
    public int Held => Queue.Held;

    private ChannelQueue Queue => routes.Find(route);

    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id = null, CancellationToken cancellationToken = default) =>
        Queue.PublishAsync(body, id, cancellationToken);

    /// <summary>Completes when everything accepted so far is settled, and nothing else was accepted meanwhile.</summary>
    public Task WhenSettledAsync(CancellationToken cancellationToken) => Queue.WhenEmptyAsync(cancellationToken);
}
