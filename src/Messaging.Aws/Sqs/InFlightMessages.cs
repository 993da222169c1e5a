using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// The messages that are received and not yet deleted or abandoned, and the keys of the last done ones. The heartbeat renews the first; a
/// redelivery finds its first delivery here. One lock guards both, and the handles and renewal times of the messages; each receive and each
/// delete of up to 10 messages takes it once. Threads: any.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="afterHold">How long a message may still be processed after its hold limit.</param>
/// <param name="doneIds">How many keys of done messages to keep; the oldest is removed first.</param>
internal sealed class InFlightMessages(TimeProvider time, TimeSpan afterHold, int doneIds)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<Guid, SqsReceivedMessage> _messages = [];
    private readonly HashSet<Guid> _done = new(doneIds);
    private readonly Queue<Guid> _oldestDone = new(doneIds);

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

    /// <summary>
    /// Adds the messages of one receive. One that is already in flight is not added: its first delivery gets the newer handle. One that is
    /// done is added and marked as done, to be deleted.
    /// </summary>
    /// <param name="messages">The messages, in the order of the receive.</param>
    /// <param name="admissions">Gets one value per message.</param>
    public void Admit(ReadOnlySpan<SqsReceivedMessage> messages, Span<Admission> admissions)
    {
        long now = time.GetTimestamp();
        lock (_lock)
        {
            for (int i = 0; i < messages.Length; i++)
            {
                SqsReceivedMessage message = messages[i];
                if (!_messages.TryAdd(message.Key, message))
                {
                    _messages[message.Key].Renew(message.Handle.Span, now);
                    admissions[i] = Admission.InFlight;
                    continue;
                }

                message.IsDone = _done.Contains(message.Key);
                admissions[i] = message.IsDone ? Admission.Done : Admission.New;
            }
        }
    }

    /// <summary>Removes a message without a check of its handle; remembers it when it is done.</summary>
    public void Remove(SqsReceivedMessage message)
    {
        lock (_lock)
        {
            RemoveLocked(message);
        }
    }

    /// <summary>Copies the newest handles of messages.</summary>
    public void CopyHandles(ReadOnlySpan<SqsReceivedMessage> messages, Span<ReadOnlyMemory<byte>> handles)
    {
        lock (_lock)
        {
            for (int i = 0; i < messages.Length; i++)
            {
                handles[i] = messages[i].Handle;
            }
        }
    }

    /// <summary>
    /// Removes the messages of a batch whose settlement is over, and remembers those that are done. One that has a newer handle than the
    /// batch stays, because it must be settled with that handle.
    /// </summary>
    /// <param name="messages">The messages.</param>
    /// <param name="handles">The handles that were sent.</param>
    /// <param name="isOver">One value per message; set to false for a message that stays.</param>
    public void Finish(ReadOnlySpan<SqsReceivedMessage> messages, ReadOnlySpan<ReadOnlyMemory<byte>> handles, Span<bool> isOver)
    {
        lock (_lock)
        {
            for (int i = 0; i < messages.Length; i++)
            {
                // A newer handle is a newer array, so comparing the memory is enough.
                isOver[i] = isOver[i] && messages[i].Handle.Equals(handles[i]);
                if (isOver[i])
                {
                    RemoveLocked(messages[i]);
                }
            }
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

    private void RemoveLocked(SqsReceivedMessage message)
    {
        // A later delivery of an abandoned message may have its key by now.
        if (_messages.TryGetValue(message.Key, out SqsReceivedMessage? found) && ReferenceEquals(found, message))
        {
            _messages.Remove(message.Key);
        }

        // Known already: it keeps its age.
        if (message.IsDone && doneIds > 0 && _done.Add(message.Key))
        {
            if (_oldestDone.Count == doneIds)
            {
                _done.Remove(_oldestDone.Dequeue());
            }

            _oldestDone.Enqueue(message.Key);
        }
    }
}

/// <summary>What the registry knew about a received message.</summary>
internal enum Admission
{
    /// <summary>Nothing: it is in flight from now on.</summary>
    New,

    /// <summary>It is in flight already; that delivery has the newer handle.</summary>
    InFlight,

    /// <summary>An earlier delivery was completed or dead-lettered: delete it.</summary>
    Done,
}
