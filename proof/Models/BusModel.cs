using Azure.Messaging.ServiceBus;
using Proof.Simulation;
using Shared.ServiceBus;

namespace Proof.Models;

/// <summary>Service Bus: a queue with locks and its dead-letter queue.</summary>
internal sealed class BusModel(World world)
{
    // The default of the Azure portal.
    private static readonly TimeSpan LockDuration = TimeSpan.FromMinutes(1);

    private readonly List<QueuedMessage> _messages = [];
    private readonly List<byte[]> _dead = [];

    public World World => world;

    public int Count => _messages.Count;

    /// <summary>Bodies in the dead-letter queue.</summary>
    public IReadOnlyList<byte[]> Dead => _dead;

    /// <summary>Called with each message that is removed.</summary>
    public required Action<QueuedMessage> Removed { get; init; }

    /// <summary>Called with each message that is delivered.</summary>
    public required Action<QueuedMessage> Delivered { get; init; }

    public void Send(QueuedMessage message) => _messages.Add(message);

    /// <summary>Locks the first message that is free; null when there is none.</summary>
    public QueuedMessage? Lock()
    {
        QueuedMessage? message = _messages.Find(message => message.VisibleAt <= world.Time.Now);
        if (message is not null)
        {
            message.Deliveries++;
            message.VisibleAt = world.Time.Now + LockDuration.Ticks;
            world.Trace("locked", message.Handle);
            Delivered(message);
        }

        return message;
    }

    /// <summary>The broker's clock, which no jump of the worker's clock moves.</summary>
    public static DateTimeOffset At(long ticks) => SimulatedTime.Start + TimeSpan.FromTicks(ticks);

    /// <summary>Renews a lock, of which null is one that never was.</summary>
    /// <returns>Its new end.</returns>
    public DateTimeOffset Renew(QueuedMessage? message, string? handle)
    {
        Find(message, handle).VisibleAt = world.Time.Now + LockDuration.Ticks;
        return At(message!.VisibleAt);
    }

    public void Settle(QueuedMessage? locked, string? handle, FakeSettlement settlement)
    {
        QueuedMessage message = Find(locked, handle);
        world.Trace(settlement.Operation, handle!);
        if (settlement == FakeSettlement.Abandon)
        {
            message.VisibleAt = 0;
            return;
        }

        _messages.Remove(message);
        if (settlement != FakeSettlement.Complete)
        {
            _dead.Add(message.Body);
        }

        Removed(message);
    }

    private QueuedMessage Find(QueuedMessage? message, string? handle)
    {
        if (message is not null && _messages.Contains(message) && message.Handle == handle && message.VisibleAt > world.Time.Now)
        {
            return message;
        }

        if (message is not null)
        {
            world.Meets(Fault.BusLockIsLost);
        }

        throw new ServiceBusException("The lock is lost.", ServiceBusFailureReason.MessageLockLost);
    }
}
