using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>Receives over one client, with receivers of its own per run.</summary>
/// <param name="client">Receives and settles.</param>
/// <param name="checking">The client of checks, which gives up soon.</param>
/// <param name="options">What to receive from.</param>
/// <param name="settings">How to receive.</param>
internal sealed class SdkPump(ServiceBusClient client, ServiceBusClient checking, ServiceBusSourceOptions options, PumpSettings settings) : IServiceBusPump
{
    // Starts, stops and disposals never overlap.
    private SdkRun? _run;

    // Settles the messages of all stopped runs. It outlives the runs, because a message may be held for hours after its run.
    private ServiceBusReceiver? _settling;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        await using ServiceBusReceiver receiver = OpenReceiver(checking, prefetchCount: 0);
        try
        {
            await SdkFaults.ConvertAsync(receiver.PeekMessageAsync(cancellationToken: cancellationToken), cancellationToken);
        }
        catch (ServiceBusFaultException exception) when (exception.Fault.Kind == ServiceBusFaultKind.Unreadable)
        {
            // The broker has answered.
        }

        try
        {
            // The peek uses the management link. To settle an unknown lock token opens the receiving link too, without locking a message.
            await SdkFaults.ConvertAsync(receiver.AbandonMessageAsync(ServiceBusModelFactory.ServiceBusReceivedMessage(lockTokenGuid: Guid.NewGuid()), cancellationToken: cancellationToken), cancellationToken);
        }
        catch (ServiceBusFaultException exception) when (!exception.Fault.IsRefusal || exception.Fault.Kind == ServiceBusFaultKind.NotFound)
        {
            // The expected answer is that the lock is lost. Whatever else it says about the token, the entity exists and the link was not refused.
        }
    }

    public async Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        await DisposeRunAsync();
        cancellationToken.ThrowIfCancellationRequested();
        int links = (settings.MaxConcurrentCalls + SdkRun.MaxCallsPerLink - 1) / SdkRun.MaxCallsPerLink;
        ServiceBusReceiver[] receivers = [.. Enumerable.Range(0, links).Select(link => OpenReceiver(client, (settings.PrefetchCount + link) / links))];
        _run = new SdkRun(receivers, settings, () => _settling ??= OpenReceiver(client, prefetchCount: 0));
        _run.Start(handler);
    }

    public Task StopAsync(CancellationToken cancellationToken) => _run?.StopAsync(cancellationToken) ?? Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await DisposeRunAsync();
        if (_settling is { } receiver)
        {
            await TryDisposeAsync(receiver);
        }

        await TryDisposeAsync(checking);
        await SdkFaults.ConvertAsync(client.DisposeAsync().AsTask(), CancellationToken.None);
    }

    private async ValueTask DisposeRunAsync()
    {
        if (_run is { } run)
        {
            _run = null;
            await TryDisposeAsync(run);
        }
    }

    private static async ValueTask TryDisposeAsync(IAsyncDisposable part)
    {
        try
        {
            await part.DisposeAsync();
        }
        catch (Exception)
        {
            // The next run has receivers of its own, and the client closes what is still open.
        }
    }

    private ServiceBusReceiver OpenReceiver(ServiceBusClient over, int prefetchCount)
    {
        ServiceBusReceiverOptions receiving = new() { ReceiveMode = ServiceBusReceiveMode.PeekLock, PrefetchCount = prefetchCount };
        return options.Queue is { } queue ? over.CreateReceiver(queue, receiving) : over.CreateReceiver(options.Topic, options.Subscription, receiving);
    }
}
