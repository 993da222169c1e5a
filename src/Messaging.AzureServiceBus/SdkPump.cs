using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>Creates one ServiceBusProcessor per run, over one client.</summary>
internal sealed class SdkPump(ServiceBusClient client, ServiceBusSourceOptions options, PumpSettings settings) : IServiceBusPump
{
    // Starts, stops and disposals never overlap.
    private SdkRun? _run;

    // Settles the messages of all stopped runs. It outlives the runs, because a message may be held for hours after its run.
    private ServiceBusReceiver? _settling;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        await using ServiceBusReceiver receiver = OpenReceiver();
        await SdkFaults.ConvertAsync(receiver.PeekMessageAsync(cancellationToken: cancellationToken), cancellationToken);
    }

    public async Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        await DisposeRunAsync();
        _run = new SdkRun(CreateProcessor(), () => _settling ??= OpenReceiver());
        await _run.StartAsync(handler, cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => _run?.StopAsync(cancellationToken) ?? Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await DisposeRunAsync();
        if (_settling is { } receiver)
        {
            await TryDisposeAsync(receiver);
        }

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
            // The next run has a processor of its own, and the client closes what is still open.
        }
    }

    private ServiceBusReceiver OpenReceiver() =>
        options.Queue is { } queue ? client.CreateReceiver(queue) : client.CreateReceiver(options.Topic, options.Subscription);

    private ServiceBusProcessor CreateProcessor()
    {
        ServiceBusProcessorOptions processing = new()
        {
            AutoCompleteMessages = settings.AutoComplete,
            MaxAutoLockRenewalDuration = settings.MaxLockRenewal,
            MaxConcurrentCalls = settings.MaxConcurrentCalls,
            PrefetchCount = settings.PrefetchCount,
            ReceiveMode = ServiceBusReceiveMode.PeekLock,
        };
        return options.Queue is { } queue
            ? client.CreateProcessor(queue, processing)
            : client.CreateProcessor(options.Topic, options.Subscription, processing);
    }
}
