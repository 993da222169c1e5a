using Messaging.Aws.Sqs.Wire;
using Pipeline.Buffers;

namespace Messaging.Aws.Sqs;

/// <summary>
/// The messages that are received and not yet deleted or abandoned: the heartbeat renews them, and a redelivery finds its first delivery
/// here. One lock guards the map and the handles and renewal times of its messages. Threads: any.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="afterHold">How long a message may still be processed after its hold limit.</param>
internal sealed class InFlightMessages(TimeProvider time, TimeSpan afterHold)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<Guid, SqsReceivedMessage> _messages = [];

    public int Count
    {
        get
        {
            lock (_lock)
            {
                return _messages.Count;
            }
        }
    }

    /// <summary>Adds a message; when it is already in flight, gives that delivery the newer handle instead.</summary>
    /// <returns>False when it was already in flight: the new object was not added.</returns>
    public bool TryAdd(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            if (_messages.TryAdd(message.Key, message))
            {
                return true;
            }

            _messages[message.Key].Renew(message.Handle.Span, time.GetTimestamp());
            return false;
        }
    }

    public void Remove(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            if (_messages.TryGetValue(message.Key, out SqsReceivedMessage? found) && ReferenceEquals(found, message))
            {
                _messages.Remove(message.Key);
            }
        }
    }

    /// <summary>Removes a message that was settled with <paramref name="handle"/>.</summary>
    /// <returns>False when a newer handle arrived meanwhile: the message stays and must be settled with that one.</returns>
    public bool TryFinish(SqsReceivedMessage message, ReadOnlyMemory<byte> handle)
    {
        lock (_lock)
        {
            // A newer handle is a newer array, so comparing the memory is enough.
            if (!message.Handle.Equals(handle))
            {
                return false;
            }

            Remove(message);
            return true;
        }
    }

    /// <summary>The newest handle of a message that the caller owns.</summary>
    public ReadOnlyMemory<byte> HandleOf(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            return message.Handle;
        }
    }

    /// <summary>Time since the newest receive of a message that the caller owns.</summary>
    public TimeSpan AgeOf(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            return time.GetElapsedTime(message.ReceivedAt);
        }
    }

    /// <summary>True while a message that the caller owns is renewed.</summary>
    public bool IsRenewed(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            return !message.IsLost;
        }
    }

    /// <summary>
    /// Collects the messages whose last renewal is at least half of <paramref name="visibilityTimeout"/> old, with copies of their handles: a
    /// message may be settled and reused meanwhile.
    /// </summary>
    /// <returns>How many messages have just reached the end of their time in flight; those are no longer renewed.</returns>
    public int CollectDue(List<DueRenewal> due, PooledBuffer handles, TimeSpan visibilityTimeout)
    {
        int expired = 0;
        lock (_lock)
        {
            foreach (SqsReceivedMessage message in _messages.Values)
            {
                if (message.IsLost || time.GetElapsedTime(message.RenewedAt) < visibilityTimeout / 2)
                {
                    continue;
                }

                // Any message in flight, not only a held one: it may be processed until the end of its hold, and once more after it.
                TimeSpan age = time.GetElapsedTime(message.ReceivedAt);
                int seconds = Math.Min((int)visibilityTimeout.TotalSeconds, SqsLimits.VisibilityLeft(age));
                if (age >= message.HoldLimit + afterHold || seconds == 0)
                {
                    message.IsLost = true;
                    expired++;
                    continue;
                }

                due.Add(new DueRenewal(message.Key, handles.Length, message.Handle.Length, seconds));
                handles.Append(message.Handle.Span);
            }
        }

        return expired;
    }

    /// <summary>Records that a renewal sent at <paramref name="sentAt"/> succeeded.</summary>
    public void Renewed(Guid key, long sentAt)
    {
        lock (_lock)
        {
            if (_messages.TryGetValue(key, out SqsReceivedMessage? message) && message.RenewedAt < sentAt)
            {
                message.RenewedAt = sentAt;
            }
        }
    }

    /// <summary>Records that the queue no longer accepts the handle.</summary>
    /// <returns>False when that does not matter: the message is settled, or a newer handle arrived meanwhile.</returns>
    public bool TryLose(Guid key, ReadOnlySpan<byte> handle)
    {
        lock (_lock)
        {
            if (!_messages.TryGetValue(key, out SqsReceivedMessage? message) || !message.Handle.Span.SequenceEqual(handle))
            {
                return false;
            }

            message.IsLost = true;
            return true;
        }
    }
}
