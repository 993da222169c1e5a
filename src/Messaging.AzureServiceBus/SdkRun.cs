using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>
/// One run of a ServiceBusProcessor. Its StopProcessingAsync leaves the link open, with the credit of the calls that were waiting, so the
/// broker keeps locking messages for them. The stop therefore closes the link too, which releases those locks. Messages in flight are
/// then settled by their lock tokens, over the pump's receiver, which receives nothing.
/// </summary>
internal sealed class SdkRun(ServiceBusProcessor processor, Func<ServiceBusReceiver> settlingReceiver) : IAsyncDisposable
{
    // Closing first asks the broker to return the credit; a broker that does not answer must not delay the shutdown or the next run.
    private static readonly TimeSpan CloseLimit = TimeSpan.FromSeconds(5);

    private volatile ServiceBusReceiver? _afterStop;

    /// <summary>Settles messages after the stop; null before it, while they are settled over their own link.</summary>
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
        // Before any call returns. The receiver opens its link on first use.
        _afterStop ??= settlingReceiver();
        return SdkFaults.ConvertAsync(StopAndCloseAsync(cancellationToken), cancellationToken);
    }

    public ValueTask DisposeAsync() => processor.DisposeAsync();

    private async Task StopAndCloseAsync(CancellationToken cancellationToken)
    {
        await processor.StopProcessingAsync(cancellationToken);
        await processor.CloseAsync(cancellationToken).WaitAsync(CloseLimit, cancellationToken);
    }
}
