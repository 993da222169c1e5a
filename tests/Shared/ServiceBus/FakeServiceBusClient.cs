using Azure.Messaging.ServiceBus;

namespace Shared.ServiceBus;

/// <summary>A client whose receivers are <see cref="FakeReceiver"/>s.</summary>
internal class FakeServiceBusClient(IFakeBroker broker) : ServiceBusClient
{
    public override ServiceBusReceiver CreateReceiver(string queueName, ServiceBusReceiverOptions options) => new FakeReceiver(broker, options);

    public override ServiceBusReceiver CreateReceiver(string topicName, string subscriptionName, ServiceBusReceiverOptions options) =>
        new FakeReceiver(broker, options);

    public override ValueTask DisposeAsync() => default;
}
