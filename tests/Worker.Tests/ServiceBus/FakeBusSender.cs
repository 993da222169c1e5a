using Messaging.AzureServiceBus.Port;

namespace Worker.Tests.ServiceBus;

/// <summary>Sends to a <see cref="FakeBus"/> and records the number of messages per batch.</summary>
internal sealed class FakeBusSender(FakeBus bus) : IServiceBusSender
{
    public List<int> Batches { get; } = [];

    public bool IsDisposed { get; private set; }

    public async ValueTask<IOutgoingBatch> CreateBatchAsync(CancellationToken cancellationToken)
    {
        await Task.Yield();
        return bus.CheckFault is { } fault ? throw new ServiceBusFaultException(fault) : new FakeBatch(bus.BatchBytes);
    }

    public async Task SendAsync(IOutgoingBatch batch, CancellationToken cancellationToken)
    {
        await Task.Yield();
        if (bus.SendFault is { } fault)
        {
            throw new ServiceBusFaultException(fault);
        }

        FakeBatch messages = (FakeBatch)batch;
        messages.IsDisposed.ShouldBeFalse();
        lock (Batches)
        {
            Batches.Add(batch.Count);
        }

        messages.Messages.ForEach(message => bus.Publish(message.Body, message.Id));
    }

    public ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return default;
    }
}
