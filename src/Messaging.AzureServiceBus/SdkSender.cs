using Azure.Messaging.ServiceBus;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

internal sealed class SdkSender(ServiceBusClient client, ServiceBusSourceOptions options) : IServiceBusSender
{
    private readonly ServiceBusSender _sender = client.CreateSender(options.Queue ?? options.Topic);

    public async ValueTask<IOutgoingBatch> CreateBatchAsync(CancellationToken cancellationToken)
    {
        Task<ServiceBusMessageBatch> creating = _sender.CreateMessageBatchAsync(cancellationToken).AsTask();
        await SdkFaults.ConvertAsync(creating, cancellationToken);
        return new SdkBatch(await creating);
    }

    public Task SendAsync(IOutgoingBatch batch, CancellationToken cancellationToken) =>
        SdkFaults.ConvertAsync(_sender.SendMessagesAsync(((SdkBatch)batch).Messages, cancellationToken), cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _sender.DisposeAsync();
        await client.DisposeAsync();
    }
}
