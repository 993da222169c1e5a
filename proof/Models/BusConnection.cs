using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Proof.Simulation;
using Shared.ServiceBus;

namespace Proof.Models;

/// <summary>What one process of the worker has open at a <see cref="BusModel"/>: links with waiting receives, and calls with the network's faults.</summary>
internal sealed class BusConnection(BusModel bus, ProcessTime process) : IFakeBroker
{
    private static readonly TimeSpan DeliveryInterval = TimeSpan.FromMilliseconds(100);

    private readonly List<(FakeReceiver Link, TaskCompletionSource<ServiceBusReceivedMessage?> Receive)> _waiting = [];
    private readonly Dictionary<Guid, (QueuedMessage Message, string Handle)> _locked = [];
    private bool _isDelivering;

    public async Task<ServiceBusReceivedMessage?> ReceiveAsync(FakeReceiver link, CancellationToken cancellationToken)
    {
        (FakeReceiver, TaskCompletionSource<ServiceBusReceivedMessage?> Receive) waiting =
            (link, new TaskCompletionSource<ServiceBusReceivedMessage?>(TaskCreationOptions.RunContinuationsAsynchronously));
        _waiting.Add(waiting);
        DeliverSoon();
        await using CancellationTokenRegistration cancelled = cancellationToken.Register(() =>
        {
            if (_waiting.Remove(waiting))
            {
                // The client drops a message that has arrived for a cancelled receive.
                Lose();
                waiting.Receive.SetCanceled(cancellationToken);
            }
        });
        return await waiting.Receive.Task;
    }

    public Task PeekAsync(CancellationToken cancellationToken) => CallAsync(() => { }, cancellationToken);

    public async Task<DateTimeOffset> RenewAsync(Guid lockToken, CancellationToken cancellationToken)
    {
        DateTimeOffset until = default;
        await CallAsync(() => until = bus.Renew(MessageOf(lockToken), HandleOf(lockToken)), cancellationToken);
        return until;
    }

    public Task SettleAsync(Guid lockToken, FakeSettlement settlement, CancellationToken cancellationToken) =>
        CallAsync(() => bus.Settle(MessageOf(lockToken), HandleOf(lockToken), settlement), cancellationToken);

    /// <summary>Drains the link: messages that arrive until then are received.</summary>
    public async Task CloseAsync(FakeReceiver link, CancellationToken cancellationToken)
    {
        await CallAsync(() => { }, cancellationToken);
        foreach ((FakeReceiver, TaskCompletionSource<ServiceBusReceivedMessage?> Receive) waiting in _waiting.FindAll(waiting => waiting.Link == link))
        {
            _waiting.Remove(waiting);
            waiting.Receive.SetResult(bus.World.Random.Next(4) == 0 && bus.Lock() is { } message ? Deliver(message) : null);
        }
    }

    private QueuedMessage? MessageOf(Guid lockToken) => _locked.GetValueOrDefault(lockToken).Message;

    private string? HandleOf(Guid lockToken) => _locked.GetValueOrDefault(lockToken).Handle;

    private void DeliverSoon()
    {
        if (!_isDelivering)
        {
            _isDelivering = true;
            bus.World.Time.Schedule(DeliveryInterval, DeliverAll);
        }
    }

    private void DeliverAll()
    {
        _isDelivering = false;
        if (!process.IsAlive || _waiting.Count == 0)
        {
            return;
        }

        if (bus.World.Random.NextDouble() < bus.World.QueueFaults.Error / 10)
        {
            bus.World.Meets(Fault.BusFailsReceive);
            Take().SetException(Broken());
        }
        else
        {
            while (_waiting.Count > 0 && bus.Lock() is { } message)
            {
                // The connection may break while a message is on its way: the message then stays locked, but no process has it.
                if (bus.World.Random.NextDouble() >= bus.World.QueueFaults.LostAnswer)
                {
                    Take().SetResult(Deliver(message));
                }
                else
                {
                    bus.World.Meets(Fault.BusLosesMessage);
                }
            }
        }

        if (_waiting.Count > 0)
        {
            DeliverSoon();
        }
    }

    private TaskCompletionSource<ServiceBusReceivedMessage?> Take()
    {
        TaskCompletionSource<ServiceBusReceivedMessage?> receive = _waiting[0].Receive;
        _waiting.RemoveAt(0);
        return receive;
    }

    private void Lose()
    {
        if (bus.World.Random.Next(4) == 0 && bus.Lock() is not null)
        {
            bus.World.Meets(Fault.BusLosesMessage);
        }
    }

    private ServiceBusReceivedMessage Deliver(QueuedMessage message)
    {
        Guid lockToken = new(message.Number, (short)message.Deliveries, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        _locked[lockToken] = (message, message.Handle);
        ServiceBusReceivedMessage delivered = ServiceBusModelFactory.ServiceBusReceivedMessage(
            body: new BinaryData(message.Body),
            messageId: message.Id,
            lockTokenGuid: lockToken,
            deliveryCount: message.Deliveries,
            lockedUntil: BusModel.At(message.VisibleAt),
            sequenceNumber: message.Number + 1,
            enqueuedTime: SimulatedTime.Start);
        if (bus.World.HasForeignBodies && bus.World.Work.IsMalformed(message.Body))
        {
            bus.World.Meets(Fault.BusBodyIsForeign);
            delivered.GetRawAmqpMessage().Body = AmqpMessageBody.FromSequence([[1]]);
        }

        return delivered;
    }

    /// <summary>One call to the broker, with the network's faults.</summary>
    private async Task CallAsync(Action effect, CancellationToken cancellationToken)
    {
        Random random = bus.World.Random;
        FaultRates faults = bus.World.QueueFaults;
        double fate = random.NextDouble();
        TimeSpan latency =
            random.NextDouble() < faults.Slow ? TimeSpan.FromMilliseconds(random.Next(100, 15_000)) : TimeSpan.FromMilliseconds(1 + (random.NextDouble() * 20));
        if (latency > TimeSpan.FromMilliseconds(50))
        {
            bus.World.Meets(Fault.BusIsSlow);
        }

        await Task.Delay(latency, process, cancellationToken);
        if (fate < faults.LostRequest + faults.Error)
        {
            bus.World.Meets(Fault.BusBreaks);
            throw Broken();
        }

        effect();
        await Task.Delay(latency, process, cancellationToken);
        if (fate > 1 - faults.LostAnswer)
        {
            bus.World.Meets(Fault.BusLosesAnswer);
            throw Broken();
        }
    }

    private static ServiceBusException Broken() => new("The connection broke.", ServiceBusFailureReason.ServiceCommunicationProblem);
}
