using System.Collections.Concurrent;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The messages in flight, by the key that all their deliveries share: finds the first delivery of a redelivered message. Threads: any.</summary>
/// <param name="isDone">Whether an earlier delivery of a message was stored; recorded before that delivery is removed.</param>
internal sealed class InWorkMessages(Func<MessageKey, bool> isDone)
{
    private readonly ConcurrentDictionary<MessageKey, ServiceBusDelivery> _messages = new();

    /// <summary>Adds a delivery of a message that is not in flight.</summary>
    /// <param name="delivery">The delivery.</param>
    /// <param name="wasStored">True for the added delivery of a message that an earlier one stored.</param>
    /// <returns>The delivery in flight: the added one, or the first one of the message.</returns>
    public ServiceBusDelivery AddOrFind(ServiceBusDelivery delivery, out bool wasStored)
    {
        ServiceBusDelivery first = _messages.GetOrAdd(delivery.Key, delivery);

        // Only after it was added: an earlier delivery that is not found has left, and was recorded before it left.
        wasStored = first == delivery && isDone(delivery.Key);
        return first;
    }

    public void Remove(ServiceBusDelivery delivery) => _messages.TryRemove(KeyValuePair.Create(delivery.Key, delivery));
}

/// <summary>
/// Identifies a message of an entity. The time is part of the key because sequence numbers restart at 1 when the entity is recreated:
/// otherwise a new message could be taken for a completed one, and be completed without being stored.
/// </summary>
/// <param name="SequenceNumber">The broker's number.</param>
/// <param name="EnqueuedAt">The broker's time of arrival.</param>
internal readonly record struct MessageKey(long SequenceNumber, DateTimeOffset EnqueuedAt);
