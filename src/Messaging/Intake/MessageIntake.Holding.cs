using Microsoft.Extensions.Logging;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Intake;

/// <content>
/// Messages that keep their slots while the sink fails, so that an outage costs them no delivery. While the breaker is half open, one at a
/// time is its probe; once it is closed, all are retried. See docs/evidence/adr/hold-through-an-outage.md.
/// </content>
internal sealed partial class MessageIntake
{
    // Each follows the sink's retries and a successful store of another message: by then the cause is the message, not throttling.
    private const int MaxOwnFailures = 5;

    // In the order of their last failures, so that each becomes the probe in its order. Under the lock.
    private readonly List<MessageSlot> _held = [];

    // After a held message, a new one is the probe: if the held messages themselves cause the fault, only a new one can close the breaker.
    private bool _lastProbeWasHeld;

    private bool _holdsNoMore;

    /// <summary>Messages that wait in their slots until the sink works.</summary>
    public int Held
    {
        get
        {
            lock (_lock)
            {
                return _held.Count;
            }
        }
    }

    /// <summary>
    /// Abandons held messages, and holds none from here on. Call it after receiving has ended: a running receive would receive them again,
    /// at the cost of a delivery each.
    /// </summary>
    public void ReturnHeld()
    {
        lock (_lock)
        {
            _holdsNoMore = true;
            foreach (MessageSlot slot in _held)
            {
                slot.EndHold(Cancellation.Shutdown);
                _pump.Add(slot);
            }

            _held.Clear();
        }

        _pump.Post();
    }

    /// <summary>Holds a message after a failed attempt, if the fault is the sink's and the source allows it.</summary>
    /// <returns>False when the message must be settled. After true the next attempt may have begun already.</returns>
    internal bool TryHold(MessageSlot slot, ReceivedMessage message, in Settlement fault)
    {
        TimeSpan limit;
        bool canReturnLate;
        try
        {
            limit = CheckedSettlement.Bounded(message.TryHold());
            canReturnLate = message.CanReturnLate;
            if (limit <= TimeSpan.Zero)
            {
                return false;
            }

            if (slot.Hold is null && _heldLog.ShouldLog(out SuppressedLines suppressed))
            {
                using IDisposable? scope = CorrelateLogs(message);
                LogHeld(
                    _route, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount,
                    DurationText.Of(TimeSpan.FromSeconds(Math.Round(limit.TotalSeconds))), _breaker.Part,
                    UntrustedText.Shorten(fault.Description ?? string.Empty), suppressed);
            }
        }
        catch (Exception)
        {
            // A source or log that throws must not lose the slot: settle the message.
            return false;
        }

        SlotHold hold = slot.Hold ??= new SlotHold();
        long successes = _breaker.Successes;
        lock (_lock)
        {
            hold.Failed(fault, successes);
            if (_holdsNoMore)
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
                // The sink asked for a longer wait than the hold: holding the slot would be useless.
                return false;
            }

            TimeSpan delay = _policy.RetryDelay(fault, hold.Failures);

            long now = _time.GetTimestamp();
            hold.EndsAt = now + Ticks(limit);
            hold.RetryAt = now + Ticks(delay);
            _held.Add(slot);
            if (slot.Probe != 0)
            {
                _breaker.ProbeReturned(slot.Probe);
                slot.Probe = 0;
            }
        }

        return true;
    }

    /// <summary>The sink works again: retries the held messages at random times, so that they do not arrive simultaneously.</summary>
    private void BreakerClosed()
    {
        lock (_lock)
        {
            long now = _time.GetTimestamp();
            foreach (MessageSlot slot in _held)
            {
                // A message that failed while others were stored keeps its own wait, or it could reopen the breaker immediately.
                if (slot.Hold!.OwnFailures == 0)
                {
                    slot.Hold.RetryAt = now + Ticks(_policy.Stagger());
                }
            }

            GrantWaiting();
        }
    }

    /// <summary>Retries held messages as the breaker allows, and abandons them when their hold time ends.</summary>
    private void RetryHeld()
    {
        lock (_lock)
        {
            if (_held.Count == 0 || _stopping)
            {
                return;
            }

            long now = _time.GetTimestamp();
            EndHolds(now);
            switch (_breaker.UpdateState())
            {
                case BreakerState.Closed:
                    RetryDue(now);
                    break;
                case BreakerState.HalfOpen when _held.Count > 0 && !IsNewMessagesTurn():
                    Probe(FindProbe());
                    break;
            }
        }

        _pump.Post();
    }

    /// <summary>Under the lock.</summary>
    private void EndHolds(long now)
    {
        for (int i = _held.Count - 1; i >= 0; i--)
        {
            if (_held[i].Hold!.EndsAt <= now)
            {
                MessageSlot slot = _held[i];
                _held.RemoveAt(i);
                slot.EndHold(Cancellation.None);
                _pump.Add(slot);
            }
        }
    }

    /// <summary>Under the lock.</summary>
    private void RetryDue(long now)
    {
        int kept = 0;
        for (int i = 0; i < _held.Count; i++)
        {
            if (_held[i].Hold!.RetryAt <= now)
            {
                _held[i].Retry();
                _pump.Add(_held[i]);
            }
            else
            {
                _held[kept++] = _held[i];
            }
        }

        _held.RemoveRange(kept, _held.Count - kept);
    }

    /// <summary>Under the lock: true when the next probe is a new message, which a source waits to receive.</summary>
    private bool IsNewMessagesTurn() => !_isPaused && _lastProbeWasHeld && _waiting.Count > 0 && _free > 0 && _bytes < _options.BytesInFlight;

    /// <summary>Under the lock: the message with the oldest failure, preferring messages without failures of their own.</summary>
    private int FindProbe() => Math.Max(0, _held.FindIndex(static slot => slot.Hold!.OwnFailures == 0));

    /// <summary>Under the lock.</summary>
    private void Probe(int index)
    {
        MessageSlot slot = _held[index];
        _held.RemoveAt(index);
        _lastProbeWasHeld = true;
        slot.Probe = _breaker.ProbeGiven();
        _breaker.ProbeWorking(slot.Probe);
        slot.Retry();
        _pump.Add(slot);
    }

    private long Ticks(TimeSpan time) => (long)(time.TotalSeconds * _time.TimestampFrequency);

    [LoggerMessage(
        5005, LogLevel.Warning,
        "Route {Route}: message {Id} is held for up to {Limit} on delivery {Delivery} and retried until the {Part} works: {Description}{Suppressed}")]
    private partial void LogHeld(string route, string id, int delivery, string limit, string part, string? description, SuppressedLines suppressed);
}
