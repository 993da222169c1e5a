using Messaging.Sources;

namespace Messaging.Aws.Sqs;

/// <summary>
/// Sorts the messages of one receive of a FIFO queue into chains, one a group: the first is handed in, each other waits behind
/// the one before it. Groups are told apart by their ids' bytes. Threads: one.
/// </summary>
internal sealed class FifoGroups(IMessageIntake intake)
{
    private readonly List<SqsReceivedMessage> _heads = [];
    private readonly List<SqsReceivedMessage> _tails = [];

    // Copies: a message that is not worked on is released before those behind it arrive.
    private readonly List<byte[]> _held = [];

    /// <summary>What follows of this message's group must not be worked on now.</summary>
    public void Hold(SqsReceivedMessage message) => _held.Add(message.Wire.GroupId.ToArray());

    /// <summary>True when a message before this one of its group is held up.</summary>
    public bool IsHeld(SqsReceivedMessage message)
    {
        foreach (byte[] group in _held)
        {
            if (message.Wire.GroupId.Span.SequenceEqual(group))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Links the message behind the one before it of its group.</summary>
    public void Add(SqsReceivedMessage message)
    {
        message.Intake = intake;
        for (int i = 0; i < _tails.Count; i++)
        {
            if (_tails[i].Wire.GroupId.Span.SequenceEqual(message.Wire.GroupId.Span))
            {
                _tails[i].NextInGroup = message;
                _tails[i] = message;
                return;
            }
        }

        _heads.Add(message);
        _tails.Add(message);
    }

    /// <summary>Hands the first of each group in. Only when all are linked: an accepted message may be settled, and gone, at once.</summary>
    public void Accept()
    {
        foreach (SqsReceivedMessage head in _heads)
        {
            ShareHoldLimit(head);
            intake.Accept(head);
        }
    }

    /// <summary>Gives all messages of the group the longest limit of any: they return together, and each return counts for each.</summary>
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
