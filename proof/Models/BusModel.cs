using System.Text;
using Messaging.AzureServiceBus.Port;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>Service Bus: a queue with locks and its dead-letter queue.</summary>
internal sealed class BusModel(World world)
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

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

    public void Renew(QueuedMessage message, string handle) => Find(message, handle).VisibleAt = world.Time.Now + LockDuration.Ticks;

    public void Abandon(QueuedMessage message, string handle)
    {
        Find(message, handle).VisibleAt = 0;
        world.Trace("abandoned", handle);
    }

    public void Complete(QueuedMessage message, string handle)
    {
        _messages.Remove(Find(message, handle));
        world.Trace("completed", handle);
        Removed(message);
    }

    public void DeadLetter(QueuedMessage message, string handle)
    {
        _messages.Remove(Find(message, handle));
        _dead.Add(message.Body);
        world.Trace("dead-lettered", Encoding.UTF8.GetString(message.Body));
        Removed(message);
    }

    private QueuedMessage Find(QueuedMessage message, string handle)
    {
        if (_messages.Contains(message) && message.Handle == handle && message.VisibleAt > world.Time.Now)
        {
            return message;
        }

        world.Meets(Fault.BusLockIsLost);
        throw new ServiceBusFaultException(new ServiceBusFault(ServiceBusFaultKind.LockLost, "The lock is lost."));
    }
}
