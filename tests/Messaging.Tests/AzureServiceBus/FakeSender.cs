using Azure.Messaging.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>Sends to a <see cref="FakeBus"/> and records the number of messages per batch.</summary>
internal sealed class FakeSender(FakeBus bus) : ServiceBusSender
{
    private readonly Dictionary<ServiceBusMessageBatch, List<ServiceBusMessage>> _open = [];

    public List<int> Batches { get; } = [];

    /// <summary>What was sent, in order.</summary>
    public List<ServiceBusMessage> Sent { get; } = [];

    public bool IsDisposed { get; private set; }

    public override async ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        if (bus.CheckFault is { } fault)
        {
            throw fault;
        }

        List<ServiceBusMessage> messages = [];
        ServiceBusMessageBatch batch = ServiceBusModelFactory.ServiceBusMessageBatch(
            bus.BatchBytes, messages, batchOptions: null,
            message => messages.Sum(static sent => sent.Body.ToMemory().Length) + message.Body.ToMemory().Length <= bus.BatchBytes);
        lock (_open)
        {
            _open.Add(batch, messages);
        }

        return batch;
    }

    public override async Task SendMessagesAsync(ServiceBusMessageBatch messageBatch, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        if (bus.SendFault is { } fault)
        {
            throw fault;
        }

        lock (_open)
        {
            List<ServiceBusMessage> messages = _open[messageBatch];
            Batches.Add(messages.Count);
            Sent.AddRange(messages);
            messages.ForEach(message => bus.Publish(message.Body.ToArray(), message.MessageId, message.ApplicationProperties.AsReadOnly()));
        }
    }

    public override ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return default;
    }
}
