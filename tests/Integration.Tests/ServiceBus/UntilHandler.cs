using Messaging.AzureServiceBus.Port;

namespace Integration.Tests.ServiceBus;

/// <summary>Completes messages until a given one arrives.</summary>
internal sealed class UntilHandler(string messageId) : IPumpHandler
{
    private readonly TaskCompletionSource _seen = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task Seen => _seen.Task;

    public Task HandleAsync(LockedMessage message)
    {
        if (message.MessageId == messageId)
        {
            _seen.TrySetResult();
        }

        return Task.CompletedTask;
    }

    public void Failed(PumpActivity activity, ServiceBusFault fault)
    {
        if (fault.Kind != ServiceBusFaultKind.Transient)
        {
            _seen.TrySetException(new ServiceBusFaultException(fault));
        }
    }
}
