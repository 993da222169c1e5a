using Azure.Messaging.ServiceBus;
using Worker.Sources.ServiceBus.Port;

namespace Worker.Sources.ServiceBus.Sdk;

/// <summary>A ServiceBusProcessor.</summary>
internal sealed class SdkPump : IServiceBusPump
{
    private readonly ServiceBusClient _client;
    private readonly ServiceBusSourceOptions _options;
    private readonly ServiceBusProcessor _processor;

    // Set before the processor starts; one handler at a time.
    private IPumpHandler? _handler;

    public SdkPump(ServiceBusClient client, ServiceBusSourceOptions options, PumpSettings settings)
    {
        _client = client;
        _options = options;
        ServiceBusProcessorOptions processing = new()
        {
            AutoCompleteMessages = settings.AutoComplete,
            MaxAutoLockRenewalDuration = settings.MaxLockRenewal,
            MaxConcurrentCalls = settings.MaxConcurrentCalls,
            PrefetchCount = settings.PrefetchCount,
            ReceiveMode = ServiceBusReceiveMode.PeekLock,
        };
        _processor = options.Queue is { } queue
            ? client.CreateProcessor(queue, processing)
            : client.CreateProcessor(options.Topic, options.Subscription, processing);
        _processor.ProcessMessageAsync += args => _handler!.HandleAsync(new SdkLockedMessage(args));
        _processor.ProcessErrorAsync += args =>
        {
            _handler!.Failed(PumpActivities.Parse(args.ErrorSource.ToString()), SdkFaults.Classify(args.Exception));
            return Task.CompletedTask;
        };
    }

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        await using ServiceBusReceiver receiver = _options.Queue is { } queue ? _client.CreateReceiver(queue) : _client.CreateReceiver(_options.Topic, _options.Subscription);
        await SdkFaults.ConvertAsync(receiver.PeekMessageAsync(cancellationToken: cancellationToken), cancellationToken);
    }

    public Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        _handler = handler;
        return SdkFaults.ConvertAsync(_processor.StartProcessingAsync(cancellationToken), cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken) => SdkFaults.ConvertAsync(_processor.StopProcessingAsync(cancellationToken), cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _processor.DisposeAsync();
        await _client.DisposeAsync();
    }
}
