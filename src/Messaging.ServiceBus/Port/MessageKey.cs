namespace Messaging.ServiceBus.Port;

/// <summary>
/// What tells one message of an entity from all others. The time is part of it because the numbers begin at 1 again when the
/// entity is made anew: taken for one that was finished before, a new message would be completed unread.
/// </summary>
/// <param name="SequenceNumber">The broker's number.</param>
/// <param name="EnqueuedAt">The broker's time of arrival.</param>
public readonly record struct MessageKey(long SequenceNumber, DateTimeOffset EnqueuedAt);
