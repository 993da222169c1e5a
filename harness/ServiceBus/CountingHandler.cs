using Messaging.AzureServiceBus.Port;

namespace Harness.ServiceBus;

/// <summary>Counts messages and does nothing else.</summary>
internal sealed class CountingHandler(Countdown countdown) : IPumpHandler
{
    private string? _firstFailure;

    /// <summary>The first failure that the client reported; null when there was none.</summary>
    public string? FirstFailure => Volatile.Read(ref _firstFailure);

    public Task HandleAsync(LockedMessage message)
    {
        countdown.Signal();
        return Task.CompletedTask;
    }

    public void Failed(PumpActivity activity, ServiceBusFault fault) => Interlocked.CompareExchange(ref _firstFailure, $"{activity}: {fault.Message}", null);
}
