using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Messages that keep their slots while the sink fails, so that an outage costs them no delivery; <see cref="Admission"/> decides when they are retried. See
/// docs/evidence/adr/hold-through-an-outage.md. Threads: the intake's lock guards all but <see cref="MayHold"/>.
/// </summary>
internal sealed class HeldMessages(SlotTable table, RecoverabilityPolicy policy, CircuitBreaker breaker, IntakeReports reports, TimeProvider time)
{
    // Each follows the sink's retries and a successful store of another message: by then the cause is the message, not throttling.
    private const int MaxOwnFailures = 5;

    // In the order of their last failures, so that each becomes the probe in its order.
    private readonly List<MessageSlot> _slots = [];
    private bool _isClosed;

    public int Count => _slots.Count;

    /// <summary>Asks the source, whose code must not run under the lock.</summary>
    /// <returns>False when the message must be settled.</returns>
    public bool MayHold(MessageSlot slot, ReceivedMessage message, in Settlement fault, out TimeSpan limit, out bool canReturnLate)
    {
        (limit, canReturnLate) = (TimeSpan.Zero, false);
        try
        {
            limit = CheckedSettlement.Bounded(message.TryHold());
            canReturnLate = message.CanReturnLate;
            if (limit > TimeSpan.Zero && slot.Hold is null)
            {
                reports.Held(message, limit, breaker.Part, fault);
            }

            return limit > TimeSpan.Zero;
        }
        catch (Exception)
        {
            // A source or log that throws must not lose the slot: settle the message.
            return false;
        }
    }

    /// <returns>False when holding would be useless, and the message must be settled.</returns>
    public bool TryAdd_NeedsLock(MessageSlot slot, in Settlement fault, TimeSpan limit, bool canReturnLate)
    {
        SlotHold hold = slot.Hold ??= new SlotHold();
        hold.Failed(fault, breaker.Successes);
        if (_isClosed)
        {
            return false;
        }

        if (hold.OwnFailures >= MaxOwnFailures && canReturnLate)
        {
            hold.ReturnDelay = limit;
            return false;
        }

        if (fault.Fault == SettlementFault.Transient && fault.Delay >= limit && canReturnLate)
        {
            // The sink asked for a longer wait than the hold.
            return false;
        }

        long now = time.GetTimestamp();
        hold.EndsAt = now + Ticks(limit);
        hold.RetryAt = now + Ticks(policy.RetryDelay(fault, hold.Failures));
        _slots.Add(slot);
        return true;
    }

    /// <summary>The sink works again: retries at random times, so that the messages do not arrive simultaneously.</summary>
    public void Spread_NeedsLock()
    {
        long now = time.GetTimestamp();
        foreach (MessageSlot slot in _slots)
        {
            // A message that failed while others were stored keeps its own wait, or it could reopen the breaker immediately.
            if (slot.Hold!.OwnFailures == 0)
            {
                slot.Hold.RetryAt = now + Ticks(policy.Stagger());
            }
        }
    }

    /// <summary>Abandons the messages whose hold time has ended.</summary>
    public void EndDue_NeedsLock(long now) => Run_NeedsLock(slot => slot.Hold!.EndsAt <= now, static slot => slot.EndHold(Cancellation.None));

    /// <summary>Retries the messages whose wait has ended.</summary>
    public void RetryDue_NeedsLock(long now) => Run_NeedsLock(slot => slot.Hold!.RetryAt <= now, static slot => slot.Retry());

    /// <summary>Retries one message, which is the probe: the one with the oldest failure, preferring messages without failures of their own.</summary>
    public void RetryAsProbe_NeedsLock(long probe)
    {
        MessageSlot next = _slots.Find(static slot => slot.Hold!.OwnFailures == 0) ?? _slots[0];
        next.Probe = probe;
        Run_NeedsLock(slot => slot == next, static slot => slot.Retry());
    }

    /// <summary>Abandons all, and holds none from here on.</summary>
    public void Close_NeedsLock()
    {
        _isClosed = true;
        Run_NeedsLock(static _ => true, static slot => slot.EndHold(Cancellation.Shutdown));
    }

    private void Run_NeedsLock(Predicate<MessageSlot> which, Action<MessageSlot> begin)
    {
        List<MessageSlot> chosen = _slots.FindAll(which);
        _slots.RemoveAll(which);
        foreach (MessageSlot slot in chosen)
        {
            begin(slot);
            table.Run_NeedsLock(slot);
        }
    }

    private long Ticks(TimeSpan duration) => (long)(duration.TotalSeconds * time.TimestampFrequency);
}
