namespace Messaging.AzureServiceBus;

/// <summary>
/// Identifies a message of an entity. The time is part of the key because sequence numbers restart at 1 when the entity is recreated:
/// otherwise a new message could be taken for a completed one, and be completed without being stored.
/// </summary>
/// <param name="SequenceNumber">The broker's number.</param>
/// <param name="EnqueuedAt">The broker's time of arrival.</param>
internal readonly record struct MessageKey(long SequenceNumber, DateTimeOffset EnqueuedAt);
