using Messaging.ServiceBus.Port;

namespace Harness.ServiceBus;

/// <summary>Does nothing with a message but count it.</summary>
internal sealed class CountingHandler(Countdown countdown) : IPumpHandler
{
    private string? _firstFailure;

    /// <summary>What the client reported first; null when nothing failed.</summary>
    public string? FirstFailure => Volatile.Read(ref _firstFailure);

    public Task HandleAsync(LockedMessage message)
    {
        countdown.Signal();
        return Task.CompletedTask;
    }

    public void Failed(PumpActivity activity, ServiceBusFault fault) => Interlocked.CompareExchange(ref _firstFailure, $"{activity}: {fault.Message}", null);
}
