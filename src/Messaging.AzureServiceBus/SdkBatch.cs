using Azure.Messaging.ServiceBus;
using Messaging.ServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>A ServiceBusMessageBatch.</summary>
internal sealed class SdkBatch(ServiceBusMessageBatch messages) : IOutgoingBatch
{
    public ServiceBusMessageBatch Messages { get; } = messages;

    public int Count => Messages.Count;

    public bool TryAdd(string messageId, ReadOnlyMemory<byte> body) =>
        Messages.TryAddMessage(new ServiceBusMessage(body) { MessageId = messageId, ContentType = "application/json" });

    public void Dispose() => Messages.Dispose();
}
