using Pipeline.Buffers;

namespace Messaging.Sources;

/// <summary>The slots of one <see cref="SlotLease"/>, shared by its copies; pooled.</summary>
internal sealed class LeasedSlots
{
    // Leases that are open simultaneously: one per receive loop, HTTP request that is being read, and follower in a FIFO group.
    private static readonly BoundedPool<LeasedSlots> Pool = new(1_024);

    public ISlotOwner? Owner { get; private set; }

    public int Count { get; set; }

    /// <summary>Changes with each return: a copy of an earlier lease must not use the slots of a later one.</summary>
    public int Version { get; private set; }

    public static LeasedSlots Rent(ISlotOwner owner, int count)
    {
        LeasedSlots slots = Pool.TryTake(out LeasedSlots? pooled) ? pooled : new LeasedSlots();
        slots.Owner = owner;
        slots.Count = count;
        return slots;
    }

    public void Return()
    {
        (ISlotOwner owner, int left) = (Owner!, Count);
        Version++;
        Owner = null;
        Count = 0;
        Pool.Return(this);
        if (left > 0)
        {
            owner.Release(left);
        }
    }
}
