using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// The queue or subscription that a source receives from, over one client. Runs, each with links of its own, follow one another.
/// docs/evidence/adr/service-bus.md has the reasons.
/// </summary>
/// <param name="client">Receives and settles. Owned.</param>
/// <param name="checking">The client of checks (<see cref="CheckRetries"/>). Owned.</param>
/// <param name="options">What to receive from.</param>
/// <param name="time">Limits the wait for a link to close.</param>
internal sealed class ServiceBusEntity(
    ServiceBusClient client, ServiceBusClient checking, ServiceBusSourceOptions options, TimeProvider time) : IAsyncDisposable
{
    /// <summary>For checks, which the worker repeats by itself: an answer, a refusal too, is known within the limit of a check.</summary>
    public static readonly ServiceBusRetryOptions CheckRetries =
        new() { Mode = ServiceBusRetryMode.Fixed, MaxRetries = 1, Delay = TimeSpan.FromMilliseconds(500), TryTimeout = TimeSpan.FromSeconds(5) };

    // Settles the messages of all stopped runs. It outlives the runs, because a message may be held for hours after its run.
    private ServiceBusReceiver? _settling;

    /// <summary>Checks that messages can be received, without locking one. Throws the client's exception otherwise.</summary>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (options.Sessions)
        {
            // An unused session: to accept it needs what every other session needs, and takes no message.
            await using ServiceBusSessionReceiver session = await AcceptCheckSessionAsync(cancellationToken);
            return;
        }

        await using ServiceBusReceiver receiver = CreateReceiver(checking, prefetchCount: 0);
        try
        {
            await receiver.PeekMessageAsync(cancellationToken: cancellationToken);
        }
        catch (Exception exception) when (ServiceBusFault.Of(exception).Kind == ServiceBusFaultKind.Unreadable)
        {
            // The broker has answered.
        }

        try
        {
            // The peek uses the management link. To settle an unknown lock token opens the receiving link too, without locking a message.
            await receiver.AbandonMessageAsync(
                ServiceBusModelFactory.ServiceBusReceivedMessage(lockTokenGuid: Guid.NewGuid()), cancellationToken: cancellationToken);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested
            && ServiceBusFault.Of(exception) is { IsRefusal: false } or { Kind: ServiceBusFaultKind.NotFound })
        {
            // The expected answer is that the lock is lost. Whatever else it says about the token, the entity exists and the link was not refused.
        }
    }

    /// <summary>Peeks over the connection that receives: without a session, and without locking a message.</summary>
    public Task PeekAsync(CancellationToken cancellationToken) => Settling().PeekMessageAsync(cancellationToken: cancellationToken);

    /// <summary>
    /// Creates the links of a run; each opens when it first receives. Links of different runs are not used at the same time, except to settle.
    /// </summary>
    public RunLinks CreateLinks(int calls, ServiceBusSourceLog log)
    {
        if (options.Sessions)
        {
            return new SessionLinks(calls, AcceptNextSessionAsync, log, time);
        }

        int links = (calls + ReceiveLinks.MaxCallsPerLink - 1) / ReceiveLinks.MaxCallsPerLink;
        ServiceBusReceiver[] receivers = [.. Enumerable.Range(0, links).Select(link => CreateReceiver(client, (options.PrefetchCount + link) / links))];
        return new ReceiveLinks(calls, receivers, Settling, time);
    }

    /// <summary>Closes the links that are still open, and the connections.</summary>
    public async ValueTask DisposeAsync()
    {
        try
        {
            await checking.DisposeAsync();
        }
        finally
        {
            await client.DisposeAsync();
        }
    }

    // Two threads may create one each, of which either will do.
    private ServiceBusReceiver Settling() => _settling ??= CreateReceiver(client, prefetchCount: 0);

    private Task<ServiceBusSessionReceiver> AcceptNextSessionAsync(CancellationToken cancellationToken) => options.Queue is { } queue
        ? client.AcceptNextSessionAsync(queue, cancellationToken: cancellationToken)
        : client.AcceptNextSessionAsync(options.Topic, options.Subscription, cancellationToken: cancellationToken);

    private Task<ServiceBusSessionReceiver> AcceptCheckSessionAsync(CancellationToken cancellationToken)
    {
        string session = $"worker-check-{Guid.NewGuid():n}";
        return options.Queue is { } queue
            ? checking.AcceptSessionAsync(queue, session, cancellationToken: cancellationToken)
            : checking.AcceptSessionAsync(options.Topic, options.Subscription, session, cancellationToken: cancellationToken);
    }

    private ServiceBusReceiver CreateReceiver(ServiceBusClient over, int prefetchCount)
    {
        ServiceBusReceiverOptions receiving = new() { ReceiveMode = ServiceBusReceiveMode.PeekLock, PrefetchCount = prefetchCount };
        return options.Queue is { } queue ? over.CreateReceiver(queue, receiving) : over.CreateReceiver(options.Topic, options.Subscription, receiving);
    }
}
