using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>
/// One run of a ServiceBusProcessor. Its StopProcessingAsync leaves the link open, and with it the credit of the calls that were
/// waiting: the broker goes on locking messages for them. So the stop closes the link too, which ends the locks of what arrived
/// unasked; messages in flight are then settled by their lock tokens, through a receiver that receives nothing.
/// </summary>
internal sealed class SdkRun(ServiceBusProcessor processor, Func<ServiceBusReceiver> openReceiver) : IAsyncDisposable
{
    // Closing asks the broker to return its credit first; one that does not answer keeps neither the worker nor its next run.
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    private volatile ServiceBusReceiver? _afterStop;

    /// <summary>What messages are settled through after the stop; null before, when their own link does it.</summary>
    public ServiceBusReceiver? AfterStop => _afterStop;

    public Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken)
    {
        processor.ProcessMessageAsync += args => handler.HandleAsync(new SdkLockedMessage(args, this));
        processor.ProcessErrorAsync += args =>
        {
            handler.Failed(PumpActivities.Parse(args.ErrorSource.ToString()), SdkFaults.Classify(args.Exception));
            return Task.CompletedTask;
        };
        return SdkFaults.ConvertAsync(processor.StartProcessingAsync(cancellationToken), cancellationToken);
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        // Before any call returns; it opens its links only when it is used.
        _afterStop ??= openReceiver();
        return SdkFaults.ConvertAsync(StopAndCloseAsync(cancellationToken), cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await processor.DisposeAsync();
        if (_afterStop is { } receiver)
        {
            await receiver.DisposeAsync();
        }
    }

    private async Task StopAndCloseAsync(CancellationToken cancellationToken)
    {
        await processor.StopProcessingAsync(cancellationToken);
        await processor.CloseAsync(cancellationToken).WaitAsync(CloseLimit, cancellationToken);
    }
}
