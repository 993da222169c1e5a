using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Intake;

/// <summary>
/// The slots of an intake, and where each is: free, reserved for a message that a source may receive, in use, or finished until the next thread under the
/// lock frees it. Threads: the intake's lock guards all but <see cref="Finish"/>, <see cref="Post"/> and <see cref="All"/>.
/// </summary>
internal sealed class SlotTable
{
    private readonly Stack<MessageSlot> _empty;
    private readonly SlotPump _pump;
    private MessageSlot? _finished;
    private TaskCompletionSource? _drained;

    public SlotTable(MessageIntake intake, int slots)
    {
        All = new MessageSlot[slots];
        _empty = new Stack<MessageSlot>(slots);
        for (int i = slots - 1; i >= 0; i--)
        {
            All[i] = new MessageSlot(intake);
            _empty.Push(All[i]);
        }

        Free = slots;
        _pump = new SlotPump(intake, slots);
    }

    public MessageSlot[] All { get; }

    /// <summary>Slots that are neither reserved nor in use.</summary>
    public int Free { get; private set; }

    /// <summary>Reserved slots without a message.</summary>
    public int Reserved => _empty.Count - Free;

    public int InUse => All.Length - _empty.Count;

    /// <summary>Body bytes of the messages in the slots.</summary>
    public long Bytes { get; private set; }

    /// <summary>Work items used so far.</summary>
    public long WorkItems => _pump.Posts;

    public int Reserve_NeedsLock(int slots)
    {
        Free -= slots;
        return slots;
    }

    public void Release_NeedsLock(int slots)
    {
        if (slots > Reserved)
        {
            throw new InvalidOperationException($"Release was called for {slots} slots, but only {Reserved} are reserved.");
        }

        Free += slots;
        CheckDrained_NeedsLock();
    }

    /// <summary>Fills a reserved slot.</summary>
    public MessageSlot Fill_NeedsLock(ReceivedMessage message, int bytes, long now)
    {
        MessageSlot slot = _empty.Pop();
        Bytes += bytes;
        slot.Open(message, bytes, now);
        return slot;
    }

    /// <summary>Lets the pump run the slot; <see cref="Post"/> follows, outside the lock.</summary>
    public void Run_NeedsLock(MessageSlot slot) => _pump.Add(slot);

    public void Post() => _pump.Post();

    /// <summary>The slot's message is settled. Takes no lock: <see cref="TakeFinished_NeedsLock"/> frees several at a time.</summary>
    public void Finish(MessageSlot slot)
    {
        MessageSlot? first = Volatile.Read(ref _finished);
        while (true)
        {
            slot.NextFinished = first;
            MessageSlot? found = Interlocked.CompareExchange(ref _finished, slot, first);
            if (found == first)
            {
                return;
            }

            first = found;
        }
    }

    /// <returns>The first of the finished slots, each of which <see cref="Free_NeedsLock"/> must be given; null without any.</returns>
    public MessageSlot? TakeFinished_NeedsLock() => Volatile.Read(ref _finished) is null ? null : Interlocked.Exchange(ref _finished, null);

    /// <returns>The next finished slot.</returns>
    public MessageSlot? Free_NeedsLock(MessageSlot slot)
    {
        MessageSlot? next = slot.NextFinished;
        slot.NextFinished = null;
        Free++;
        Bytes -= slot.Bytes;
        _empty.Push(slot);
        return next;
    }

    public void CheckDrained_NeedsLock()
    {
        if (Free == All.Length)
        {
            _drained?.SetResult();
            _drained = null;
        }
    }

    /// <summary>Ends when every slot is free, whose finished ones have been taken.</summary>
    public Task DrainAsync_NeedsLock() => Free == All.Length
        ? Task.CompletedTask
        : (_drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
}
