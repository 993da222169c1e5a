using Messaging.Recoverability;
using Messaging.Telemetry;
using Microsoft.Extensions.Logging;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Intake;

/// <content>
/// Messages that keep their slots while the sink fails, so that an outage costs them no delivery. One at a time is the breaker's
/// probe while it is half open; all are retried once it is closed. See docs/explanation/adr/hold-through-an-outage.md.
/// </content>
internal sealed partial class MessageIntake
{
    // Each with the sink's retries and a store of another message in between: throttling is over by then, or it is the message.
    private const int MaxOwnFailures = 5;

    // In the order of their last failures, so that probes take turns. Under the lock.
    private readonly List<MessageSlot> _held = [];

    // A new message is the probe after a held one was: were the fault the held messages' own, no other could close the breaker.
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
    /// Abandons held messages, and holds none from here on. To be called once receiving has ended: a receive that is still under
    /// way would bring them again and cost each a delivery.
    /// </summary>
    public void ReturnHeld()
    {
        lock (_lock)
        {
            _holdsNoMore = true;
            foreach (MessageSlot slot in _held)
            {
                slot.EndHold(Cancellation.Shutdown);
            }

            _held.Clear();
        }
    }

    /// <summary>Keeps a message whose attempt failed in its slot, where the fault is the sink's and the source allows it.</summary>
    /// <returns>False when the message must be settled. After true the slot may be at work again already.</returns>
    internal bool TryHold(MessageSlot slot, ReceivedMessage message, in Settlement fault)
    {
        TimeSpan limit;
        try
        {
            limit = message.AskToHold();
            if (limit <= TimeSpan.Zero)
            {
                return false;
            }

            if (slot.Hold.Failures == 0 && _heldLog.ShouldLog(out SuppressedLines suppressed))
            {
                using IDisposable? scope = CorrelateLogs(message);
                LogHeld(_route, UntrustedText.Shorten(message.SourceId.Span), message.DeliveryCount, DurationText.Of(TimeSpan.FromSeconds(Math.Round(limit.TotalSeconds))), _breaker.Part, UntrustedText.Shorten(fault.Description ?? string.Empty), suppressed);
            }
        }
        catch (Exception)
        {
            // A source or a log that fails must not cost the slot: the message is settled.
            return false;
        }

        SlotHold hold = slot.Hold;
        long successes = _breaker.Successes;
        lock (_lock)
        {
            hold.Failed(fault, successes);
            if (_holdsNoMore)
            {
                return false;
            }

            if (hold.OwnFailures >= MaxOwnFailures && message.CanReturnLate)
            {
                hold.ReturnDelay = limit;
                return false;
            }

            if (fault.Fault == SettlementFault.Transient && fault.Delay >= limit && message.CanReturnLate)
            {
                // The sink asked for a wait that outlasts the hold: the slot would be held for nothing.
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

    /// <summary>The sink works again: what the outage held up is retried, spread over a while.</summary>
    private void BreakerClosed()
    {
        lock (_lock)
        {
            long now = _time.GetTimestamp();
            foreach (MessageSlot slot in _held)
            {
                // What failed while the sink worked for others keeps its own wait, or it would open the breaker again at once.
                if (slot.Hold.OwnFailures == 0)
                {
                    slot.Hold.RetryAt = now + Ticks(_policy.Stagger());
                }
            }

            GrantWaiting();
        }
    }

    /// <summary>Retries held messages as the breaker allows, and abandons those whose time is up.</summary>
    private void LookAfterHeld()
    {
        lock (_lock)
        {
            if (_held.Count == 0 || _stopping)
            {
                return;
            }

            long now = _time.GetTimestamp();
            EndHolds(now);
            switch (_breaker.AskToReceive())
            {
                case BreakerState.Closed:
                    RetryDue(now);
                    break;
                case BreakerState.HalfOpen when _held.Count > 0 && !IsNewMessagesTurn():
                    Probe(FindProbe());
                    break;
            }
        }
    }

    /// <summary>Under the lock.</summary>
    private void EndHolds(long now)
    {
        for (int i = _held.Count - 1; i >= 0; i--)
        {
            if (_held[i].Hold.EndsAt <= now)
            {
                MessageSlot slot = _held[i];
                _held.RemoveAt(i);
                slot.EndHold(Cancellation.None);
            }
        }
    }

    /// <summary>Under the lock.</summary>
    private void RetryDue(long now)
    {
        int kept = 0;
        for (int i = 0; i < _held.Count; i++)
        {
            if (_held[i].Hold.RetryAt <= now)
            {
                _held[i].Retry();
            }
            else
            {
                _held[kept++] = _held[i];
            }
        }

        _held.RemoveRange(kept, _held.Count - kept);
    }

    /// <summary>Under the lock: whether the next probe is left to a receiver that waits.</summary>
    private bool IsNewMessagesTurn() => _lastProbeWasHeld && _waiting.Count > 0 && _free > 0 && _bytes < _options.BytesInFlight;

    /// <summary>Under the lock: the message whose last failure is longest ago, of those that the sink fails for without doubt.</summary>
    private int FindProbe() => Math.Max(0, _held.FindIndex(static slot => slot.Hold.OwnFailures == 0));

    /// <summary>Under the lock.</summary>
    private void Probe(int index)
    {
        MessageSlot slot = _held[index];
        _held.RemoveAt(index);
        _lastProbeWasHeld = true;
        slot.Probe = _breaker.ProbeGiven();
        _breaker.ProbeWorking(slot.Probe);
        slot.Retry();
    }

    private long Ticks(TimeSpan time) => (long)(time.TotalSeconds * _time.TimestampFrequency);

    [LoggerMessage(5005, LogLevel.Warning, "Route {Route}: message {Id} is held for up to {Limit} on delivery {Delivery} and retried until the {Part} works: {Description}{Suppressed}")]
    private partial void LogHeld(string route, string id, int delivery, string limit, string part, string? description, SuppressedLines suppressed);
}
