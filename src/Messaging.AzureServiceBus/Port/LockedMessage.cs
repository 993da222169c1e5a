namespace Messaging.AzureServiceBus.Port;

/// <summary>
/// A message that is locked for this process until it is settled or its lock ends. A failed settlement throws a
/// <see cref="ServiceBusFaultException"/>; <see cref="ServiceBusFaultKind.LockLost"/> means that the broker redelivers the message.
/// </summary>
public abstract class LockedMessage
{
    /// <summary>The body's bytes; may be empty. Valid as long as the object.</summary>
    /// <exception cref="Pipeline.Settlements.PoisonMessageException">The body is neither bytes nor text (<see cref="AmqpBody"/>).</exception>
    public abstract ReadOnlyMemory<byte> Body { get; }

    /// <summary>The sender's id; null or empty when there is none, and not necessarily unique.</summary>
    public abstract string? MessageId { get; }

    /// <summary>The broker's number of the message, the same on every delivery. The numbers restart at 1 when the queue is recreated.</summary>
    public abstract long SequenceNumber { get; }

    /// <summary>Deliveries so far, this one included.</summary>
    public abstract int DeliveryCount { get; }

    /// <summary>When the broker accepted the message, the same on every delivery.</summary>
    public abstract DateTimeOffset EnqueuedAt { get; }

    /// <summary>When the lock ends, by the broker's clock; moves with each renewal.</summary>
    public abstract DateTimeOffset LockedUntil { get; }

    /// <summary>The sender's named values.</summary>
    public abstract IReadOnlyDictionary<string, object> Properties { get; }

    /// <summary>Identifies the message across all of its deliveries.</summary>
    public MessageKey Key => new(SequenceNumber, EnqueuedAt);

    /// <summary>Renews the lock for another lock duration. The pump does so itself while the message's call runs.</summary>
    public abstract Task RenewAsync(CancellationToken cancellationToken);

    /// <summary>Removes the message from the queue.</summary>
    public abstract Task CompleteAsync(CancellationToken cancellationToken);

    /// <summary>Abandons the message; the broker redelivers it at once.</summary>
    public abstract Task AbandonAsync(CancellationToken cancellationToken);

    /// <summary>Moves the message to the entity's dead-letter queue.</summary>
    /// <param name="reason">At most 4,096 characters.</param>
    /// <param name="description">At most 4,096 characters.</param>
    /// <param name="properties">Properties to add to the message's own.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    public abstract Task DeadLetterAsync(string reason, string description, IDictionary<string, object> properties, CancellationToken cancellationToken);
}
