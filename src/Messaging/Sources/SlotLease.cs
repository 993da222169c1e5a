using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Sources;

/// <summary>
/// Slots that an intake has reserved for a source: <c>using SlotLease slots = await intake.ReserveAsync(…);</c>. <see cref="Dispose"/> gives back the slots
/// that have no message. Copies are the same lease. Allocates nothing in a steady state. Threads: one at a time.
/// </summary>
public readonly struct SlotLease : IDisposable, IEquatable<SlotLease>
{
    private readonly LeasedSlots? _slots;
    private readonly int _version;

    /// <summary>Makes a lease of slots that <paramref name="owner"/> has reserved; for implementers of <see cref="IMessageIntake"/>.</summary>
    /// <param name="owner">Gets the messages and the slots that are given back.</param>
    /// <param name="count">The slots, 1 or more.</param>
    public SlotLease(ISlotOwner owner, int count)
    {
        ArgumentNullException.ThrowIfNull(owner);
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        _slots = LeasedSlots.Rent(owner, count);
        _version = _slots.Version;
    }

    /// <summary>The slots that have no message yet; 0 after <see cref="Dispose"/>.</summary>
    public int Count => IsOpen ? _slots!.Count : 0;

    private bool IsOpen => _slots is not null && _slots.Version == _version;

    /// <summary>
    /// Accepts a message on one of the slots and returns without waiting. From here on the route owns the message and settles it, even if reading its
    /// body throws: <see cref="Quayside.Pipeline.Settlements.DeadLetterException"/> dead-letters it, any other exception abandons it.
    /// </summary>
    /// <exception cref="InvalidOperationException">No slot is left, or the lease is disposed. The message is still the caller's.</exception>
    public void Accept(ReceivedMessage message) => Accept(new ReadOnlySpan<ReceivedMessage>(in message));

    /// <summary>Accepts several messages, each on a slot, as <see cref="Accept(ReceivedMessage)"/> does for one; at a lower cost per message.</summary>
    /// <param name="messages">The messages; the span is not used after the call.</param>
    /// <exception cref="InvalidOperationException">Fewer slots are left, or the lease is disposed. The messages are still the caller's.</exception>
    public void Accept(ReadOnlySpan<ReceivedMessage> messages)
    {
        if (messages.IsEmpty)
        {
            return;
        }

        Require(messages.Length);
        _slots!.Owner!.Accept(messages);
        _slots.Count -= messages.Length;
    }

    /// <summary>Moves slots to a lease of their own, for messages that are accepted later; it is disposed separately.</summary>
    /// <param name="count">The slots to move, 1 or more.</param>
    /// <exception cref="InvalidOperationException">Fewer slots are left, or the lease is disposed.</exception>
    public SlotLease Split(int count)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        Require(count);
        _slots!.Count -= count;
        return new SlotLease(_slots.Owner!, count);
    }

    /// <summary>Ends the lease and gives back the slots that have no message. A second call has no effect.</summary>
    public void Dispose()
    {
        if (IsOpen)
        {
            _slots!.Return();
        }
    }

    /// <inheritdoc/>
    public bool Equals(SlotLease other) => ReferenceEquals(_slots, other._slots) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is SlotLease other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_slots, _version);

    /// <summary>True for copies of one lease.</summary>
    public static bool operator ==(SlotLease left, SlotLease right) => left.Equals(right);

    /// <summary>False for copies of one lease.</summary>
    public static bool operator !=(SlotLease left, SlotLease right) => !left.Equals(right);

    private void Require(int count)
    {
        if (Count < count)
        {
            Throw(count);
        }
    }

    private void Throw(int count) => throw new InvalidOperationException(IsOpen
        ? $"{count} slot(s) are needed, but the lease has {Count} left. Accept at most SlotLease.Count messages, then reserve more with ReserveAsync."
        : $"{count} slot(s) are needed, but the lease has none: it is disposed, or was never reserved. Accept messages before its using block ends.");
}

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

/// <summary>
/// The other side of a <see cref="SlotLease"/>: for implementers of <see cref="IMessageIntake"/>, such as test doubles. Sources use the lease. Threads: any.
/// </summary>
public interface ISlotOwner
{
    /// <summary>Accepts messages, each on a slot of a lease; the lease has checked that it has as many.</summary>
    /// <param name="messages">The messages, 1 or more; the span is not used after the call.</param>
    void Accept(ReadOnlySpan<ReceivedMessage> messages);

    /// <summary>Takes back slots of a lease that have no message.</summary>
    /// <param name="slots">Their number, 1 or more.</param>
    void Release(int slots);
}
