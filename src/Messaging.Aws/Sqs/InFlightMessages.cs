using Pipeline.Buffers;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Every message received and not yet deleted or returned to the queue: what the heartbeat renews and how a redelivery finds the message
/// it repeats. One lock guards the map and the handles and renewal times of its messages. Threads: any.
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

    /// <summary>Adds a message, or, when it is in work already, gives the one in work the newer handle.</summary>
    /// <returns>False when it was in work: the new object was not added.</returns>
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

    /// <summary>Removes a message that is done with under <paramref name="handle"/>.</summary>
    /// <returns>False when a newer handle came meanwhile: the message stays, and its fate has to be told under that one.</returns>
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

    /// <summary>Collects what is due for renewal: copies of the handles, since a message may be finished and reused meanwhile.</summary>
    /// <param name="due">Filled with one entry a message.</param>
    /// <param name="handles">Takes the handles' bytes.</param>
    /// <param name="renewAfter">Age of the last renewal that makes a message due.</param>
    /// <returns>How many messages have just passed their hold limit, after which a message is renewed no more.</returns>
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

    /// <summary>Notes that a renewal sent at <paramref name="sentAt"/> succeeded.</summary>
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

    /// <summary>Notes that the queue no longer takes the handle.</summary>
    /// <returns>False when that is no matter: the message is done with, or a newer handle came meanwhile.</returns>
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
