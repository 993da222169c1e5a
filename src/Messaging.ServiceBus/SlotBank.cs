using Messaging.Sources;

namespace Messaging.ServiceBus;

/// <summary>
/// The slots a pump has in hand: one for each call that waits for a message, so that what arrives has its place already. Threads: any.
/// </summary>
internal sealed class SlotBank(IMessageIntake intake, int slots)
{
    private readonly Lock _lock = new();
    private int _slots = slots;
    private bool _closed;

    /// <summary>Takes one slot; false when none is in hand.</summary>
    public bool TryTake()
    {
        lock (_lock)
        {
            if (_slots == 0)
            {
                return false;
            }

            _slots--;
            return true;
        }
    }

    /// <summary>Adds a slot for the call that waits next; after <see cref="Close"/> it goes straight back.</summary>
    public void Put()
    {
        lock (_lock)
        {
            if (!_closed)
            {
                _slots++;
                return;
            }
        }

        intake.Release(1);
    }

    /// <summary>Gives all slots back and takes no more.</summary>
    public void Close()
    {
        int left;
        lock (_lock)
        {
            _closed = true;
            left = _slots;
            _slots = 0;
        }

        if (left > 0)
        {
            intake.Release(left);
        }
    }
}
