using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;
using Messaging.Telemetry;

namespace Messaging.AzureServiceBus;

internal sealed class SdkBatch(ServiceBusMessageBatch messages) : IOutgoingBatch
{
    public ServiceBusMessageBatch Messages { get; } = messages;

    public int Count => Messages.Count;

    public bool TryAdd(string messageId, ReadOnlyMemory<byte> body)
    {
        ServiceBusMessage message = new(body) { MessageId = messageId, ContentType = "application/json" };
        if (MessageSpans.TryGetCurrent(out string? parent, out string? state))
        {
            message.ApplicationProperties["traceparent"] = parent;
            if (state is not null)
            {
                message.ApplicationProperties["tracestate"] = state;
            }
        }

        return Messages.TryAddMessage(message);
    }

    public void Dispose() => Messages.Dispose();
}
