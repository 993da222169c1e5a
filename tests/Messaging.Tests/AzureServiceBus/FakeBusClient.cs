using System.Collections.Concurrent;
using Azure.Messaging.ServiceBus;
using Shared.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>A client of a <see cref="FakeBus"/>.</summary>
/// <param name="bus">The broker.</param>
/// <param name="retries">How it was told to retry; null for the defaults, as of clients that receive or send.</param>
internal sealed class FakeBusClient(FakeBus bus, ServiceBusRetryOptions? retries) : FakeServiceBusClient(bus)
{
    public ServiceBusRetryOptions? Retries => retries;

    public ConcurrentQueue<FakeReceiver> Receivers { get; } = [];

    public int Disposals { get; private set; }

    public override ServiceBusReceiver CreateReceiver(string queueName, ServiceBusReceiverOptions options)
    {
        _ = bus.LinkFault is { } fault ? throw fault : bus;
        FakeReceiver receiver = (FakeReceiver)base.CreateReceiver(queueName, options);
        Receivers.Enqueue(receiver);
        return receiver;
    }

    public override ServiceBusSender CreateSender(string queueOrTopicName)
    {
        FakeSender sender = new(bus);
        bus.Senders.Enqueue(sender);
        return sender;
    }

    public override ServiceBusProcessor CreateProcessor(string queueName, ServiceBusProcessorOptions options) => new FakeProcessor(bus, options);

    public override async ValueTask DisposeAsync()
    {
        Disposals++;
        if (bus.CloseGate is { } gate)
        {
            await gate;
        }
    }
}
