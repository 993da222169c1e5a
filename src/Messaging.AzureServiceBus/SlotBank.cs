using Quayside.Messaging.Sources;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The reserved slots of a run: one for each call that waits for a message. Threads: any.</summary>
internal sealed class SlotBank
{
    private readonly Lock _lock = new();
    private readonly Stack<SlotLease> _slots = new();
    private bool _closed;

    /// <param name="slots">The first slots; the bank disposes them.</param>
    public SlotBank(SlotLease slots)
    {
        while (slots.Count > 1)
        {
            _slots.Push(slots.Split(1));
        }

        _slots.Push(slots);
    }

    /// <summary>Takes one slot, which the caller disposes; false when there is none.</summary>
    public bool TryTake(out SlotLease slot)
    {
        lock (_lock)
        {
            return _slots.TryPop(out slot);
        }
    }

    /// <summary>Adds a slot for the next waiting call; after <see cref="Close"/> gives it back immediately.</summary>
    public void Put(SlotLease slot)
    {
        lock (_lock)
        {
            if (!_closed)
            {
                _slots.Push(slot);
                return;
            }
        }

        slot.Dispose();
    }

    /// <summary>Gives all slots back and keeps no more.</summary>
    public void Close()
    {
        SlotLease[] left;
        lock (_lock)
        {
            _closed = true;
            left = [.. _slots];
            _slots.Clear();
        }

        Array.ForEach(left, static slot => slot.Dispose());
    }
}
