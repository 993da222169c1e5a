using Azure.Messaging.ServiceBus;
using Shared.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>A processor over a <see cref="FakeBus"/> that completes each message after its handler.</summary>
internal sealed class FakeProcessor(FakeBus bus, ServiceBusProcessorOptions options) : ServiceBusProcessor
{
    private readonly CancellationTokenSource _stop = new();
    private Task _loops = Task.CompletedTask;

    public override int MaxConcurrentCalls => options.MaxConcurrentCalls;

    public override int PrefetchCount => options.PrefetchCount;

    public override bool AutoCompleteMessages => options.AutoCompleteMessages;

    public override TimeSpan MaxAutoLockRenewalDuration => options.MaxAutoLockRenewalDuration;

    public override Task StartProcessingAsync(CancellationToken cancellationToken = default)
    {
        bus.Processors.Enqueue(this);
        _loops = Task.WhenAll(Enumerable.Range(0, MaxConcurrentCalls).Select(_ => Task.Run(ReceiveAsync, CancellationToken.None)));
        return Task.CompletedTask;
    }

    public override async Task StopProcessingAsync(CancellationToken cancellationToken = default)
    {
        await _stop.CancelAsync();
        await _loops;
    }

    public override Task CloseAsync(CancellationToken cancellationToken = default) => StopProcessingAsync(cancellationToken);

    private async Task ReceiveAsync()
    {
        FakeReceiver receiver = new(bus, new ServiceBusReceiverOptions());
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                ServiceBusReceivedMessage message = await receiver.ReceiveMessageAsync(cancellationToken: _stop.Token);
                await OnProcessMessageAsync(new ProcessMessageEventArgs(message, receiver, _stop.Token));
                await receiver.CompleteMessageAsync(message, CancellationToken.None);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
        }
    }
}
