using Pipeline.Buffers;

namespace Messaging.Aws.Sqs;

/// <summary>
/// The messages that are received and not yet deleted or abandoned: the heartbeat renews them, and a redelivery finds its first delivery
/// here. One lock guards the map and the handles and renewal times of its messages. Threads: any.
/// </summary>
internal sealed class InFlightMessages(TimeProvider time)
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

    /// <summary>
    /// Collects the messages whose last renewal is at least <paramref name="renewAfter"/> old, with copies of their handles: a message may be
    /// settled and reused meanwhile.
    /// </summary>
    /// <returns>How many messages have just passed their hold limit; those are no longer renewed.</returns>
    public int CollectDue(List<DueRenewal> due, PooledBuffer handles, TimeSpan renewAfter)
    {
        int expired = 0;
        lock (_lock)
        {
            foreach (SqsReceivedMessage message in _messages.Values)
            {
                if (message.IsLost || time.GetElapsedTime(message.RenewedAt) < renewAfter)
                {
                    continue;
                }

                if (time.GetElapsedTime(message.ReceivedAt) >= message.HoldLimit)
                {
                    message.IsLost = true;
                    expired++;
                    continue;
                }

                due.Add(new DueRenewal(message.Key, handles.Length, message.Handle.Length));
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
