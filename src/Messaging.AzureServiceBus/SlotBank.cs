using Messaging.Sources;

namespace Messaging.AzureServiceBus;

/// <summary>The reserved slots of a run: one for each call that waits for a message. Threads: any.</summary>
internal sealed class SlotBank(IMessageIntake intake, int slots)
{
    private readonly Lock _lock = new();
    private int _slots = slots;
    private bool _closed;

    /// <summary>Takes one slot; false when there is none.</summary>
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

    /// <summary>Adds a slot for the next waiting call; after <see cref="Close"/> releases it immediately.</summary>
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

    /// <summary>Releases all slots and keeps no more.</summary>
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
