using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The messages in flight, by the key that all their deliveries share: finds the first delivery of a redelivered message. Threads: any.</summary>
internal sealed class InWorkMessages
{
    private readonly ConcurrentDictionary<MessageKey, ServiceBusDelivery> _messages = new();

    /// <summary>Adds a delivery; false when the message is already in flight, as <paramref name="first"/>.</summary>
    public bool TryAdd(ServiceBusDelivery delivery, [NotNullWhen(false)] out ServiceBusDelivery? first)
    {
        while (!_messages.TryAdd(delivery.Key, delivery))
        {
            if (_messages.TryGetValue(delivery.Key, out first))
            {
                return false;
            }
        }

        first = null;
        return true;
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
