using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>
/// Sorts the messages of one receive of a FIFO queue into chains, one per group: the first is passed to the intake, and each other one
/// waits for the one before it. Groups are compared by the bytes of their ids. Threads: one.
/// </summary>
internal sealed class FifoGroups
{
    private readonly List<SqsReceivedMessage> _heads = [];
    private readonly List<SqsReceivedMessage> _tails = [];

    // Copies: a message that is not handled is released before its followers are looked at.
    private readonly List<byte[]> _held = [];

    /// <summary>Blocks the messages that follow this one in its group.</summary>
    public void Hold(SqsReceivedMessage message) => _held.Add(message.GroupId.ToArray());

    /// <summary>True when an earlier message of its group blocks this one.</summary>
    public bool IsHeld(SqsReceivedMessage message)
    {
        foreach (byte[] group in _held)
        {
            if (message.GroupId.Span.SequenceEqual(group))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Links the message to the one before it in its group.</summary>
    public void Add(SqsReceivedMessage message)
    {
        for (int i = 0; i < _tails.Count; i++)
        {
            if (_tails[i].GroupId.Span.SequenceEqual(message.GroupId.Span))
            {
                _tails[i].NextInGroup = message;
                _tails[i] = message;
                return;
            }
        }

        _heads.Add(message);
        _tails.Add(message);
    }

    /// <summary>
    /// Passes the first message of each group to the intake. Call it after all are linked: an accepted message may be settled before the call returns.
    /// </summary>
    /// <param name="slots">At least one slot per message.</param>
    public void Accept(SlotLease slots)
    {
        foreach (SqsReceivedMessage head in _heads)
        {
            ShareHoldLimit(head);
            for (SqsReceivedMessage? follower = head.NextInGroup; follower is not null; follower = follower.NextInGroup)
            {
                follower.Slot = slots.Split(1);
            }

            slots.Accept(head);
        }
    }

    /// <summary>Gives all messages of a group its longest limit: they are abandoned together, and each redelivery counts for each of them.</summary>
    private static void ShareHoldLimit(SqsReceivedMessage head)
    {
        TimeSpan limit = head.HoldLimit;
        for (SqsReceivedMessage? message = head.NextInGroup; message is not null; message = message.NextInGroup)
        {
            limit = message.HoldLimit > limit ? message.HoldLimit : limit;
        }

        for (SqsReceivedMessage? message = head; message is not null; message = message.NextInGroup)
        {
            message.HoldLimit = limit;
        }
    }
}
