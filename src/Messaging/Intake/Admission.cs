using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Decides how many messages may be received now. The stop, the operator's pause, the bytes in flight, the breaker with its probe, the held messages and the
/// slot limit answer together, here only; docs/explanation/admission.md shows the states. Threads: any; <paramref name="sync"/> is the intake's lock.
/// </summary>
internal sealed class Admission(
    Lock sync, MessageIntake intake, SlotTable table, HeldMessages held, SlotLimit limit, long maxBytes, CircuitBreaker breaker, TimeProvider time)
{
    private readonly LinkedList<SlotRequest> _waiting = new();

    // Every waiter needs at least one slot, so more pooled requests than slots are useless.
    private readonly BoundedPool<SlotRequest> _requests = new(table.All.Length);

    private bool _isStopping;
    private bool _isPaused;
    private TaskCompletionSource? _whenPaused;

    // The breaker's probe while its slot is reserved but has no message yet; 0 otherwise.
    private long _probe;

    // After a held message, a new one is the probe: if the held messages themselves cause the fault, only a new one can close the breaker.
    private bool _lastProbeWasHeld;

    /// <summary>Messages that may be in flight now, by what the throughput and the store's answers have shown.</summary>
    public int Limit
    {
        get
        {
            lock (sync)
            {
                return limit.Current;
            }
        }
    }

    // Slots in use, but for held messages: they only wait.
    private int Loading => table.All.Length - table.Free - held.Count;

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        SlotRequest request;
        min = Math.Min(min, table.All.Length);
        lock (sync)
        {
            TakeFinished_NeedsLock();

            // Earlier waiters go first.
            int granted = _waiting.Count == 0 ? Grant_NeedsLock(min, max) : 0;
            if (granted > 0)
            {
                return new ValueTask<SlotLease>(new SlotLease(intake, granted));
            }

            request = _requests.TryTake(out SlotRequest? pooled) ? pooled : new SlotRequest(intake);
            request.Open(min, max);
            _waiting.AddLast(request.Node);
        }

        return request.WaitAsync(cancellationToken);
    }

    public IntakeAnswer TryReserve()
    {
        lock (sync)
        {
            TakeFinished_NeedsLock();
            return _isStopping ? IntakeAnswer.Stopping
                : _isPaused || breaker.UpdateState() == BreakerState.Open ? IntakeAnswer.Paused
                : _waiting.Count == 0 && Grant_NeedsLock(1, 1) == 1 ? IntakeAnswer.Reserved
                : IntakeAnswer.Full;
        }
    }

    public void Release(int slots)
    {
        lock (sync)
        {
            table.Release_NeedsLock(slots);
            limit.Returned(slots);
            if (_probe != 0 && table.Reserved == 0)
            {
                // No caller has the probe.
                breaker.ProbeReturned(_probe);
                _probe = 0;
            }

            GrantWaiting_NeedsLock();
        }
    }

    /// <summary>The caller of a request has cancelled it.</summary>
    public void Withdraw(SlotRequest request)
    {
        lock (sync)
        {
            if (request.Node.List is null)
            {
                return;
            }

            _waiting.Remove(request.Node);
            request.CompleteCancelled();

            // The next request may need fewer slots.
            GrantWaiting_NeedsLock();
        }
    }

    /// <summary>Adds the slots that have become free since a request was granted, unless another one waits.</summary>
    /// <returns>The slots that the request has now.</returns>
    public int TopUp(int granted, int max)
    {
        lock (sync)
        {
            TakeFinished_NeedsLock();
            if (IsBarred_NeedsLock() || _waiting.Count > 0 || granted >= max || held.Count > 0 || breaker.UpdateState() != BreakerState.Closed)
            {
                return granted;
            }

            return granted + table.Reserve_NeedsLock(Math.Clamp(Available_NeedsLock(min: 1), 0, max - granted));
        }
    }

    public void Recycle(SlotRequest request) => _requests.Return(request);

    public void SetPaused(bool isPaused)
    {
        TaskCompletionSource? paused = null;
        lock (sync)
        {
            _isPaused = isPaused;
            if (isPaused)
            {
                (paused, _whenPaused) = (_whenPaused, null);
            }

            ReturnFinished_NeedsLock();
        }

        paused?.SetResult();
    }

    public Task WhenPausedAsync(CancellationToken cancellationToken)
    {
        lock (sync)
        {
            return _isPaused
                ? Task.CompletedTask
                : (_whenPaused ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task.WaitAsync(cancellationToken);
        }
    }

    public void Stop()
    {
        lock (sync)
        {
            _isStopping = true;
        }
    }

    /// <summary>The breaker has closed: held messages are retried, and sources may receive.</summary>
    public void BreakerClosed()
    {
        lock (sync)
        {
            held.Spread_NeedsLock();
            GrantWaiting_NeedsLock();
        }
    }

    /// <summary>The store throttles.</summary>
    public void Throttled()
    {
        lock (sync)
        {
            limit.Throttled(time.GetTimestamp());
        }
    }

    /// <summary>What no event marks: the time at which an open breaker may be probed, a held message is due, or the limit's round ends.</summary>
    public void Watch(long now)
    {
        bool retries;
        lock (sync)
        {
            TakeFinished_NeedsLock();
            retries = held.Count > 0 && !_isStopping;
            if (retries)
            {
                RetryHeld_NeedsLock(now);
            }

            limit.Update(now);
            ReturnFinished_NeedsLock();
        }

        if (retries)
        {
            table.Post();
        }
    }

    /// <summary>Frees the finished slots, and grants them to sources that wait.</summary>
    public void ReturnFinished()
    {
        lock (sync)
        {
            ReturnFinished_NeedsLock();
        }
    }

    public void TakeFinished_NeedsLock()
    {
        int finished = 0;
        for (MessageSlot? slot = table.TakeFinished_NeedsLock(); slot is not null; slot = table.Free_NeedsLock(slot))
        {
            finished++;
            EndProbe_NeedsLock(slot);
        }

        limit.Finished(finished);
    }

    /// <summary>Messages have taken reserved slots.</summary>
    public void Accepted_NeedsLock(int messages, long now)
    {
        limit.Accepted(messages);
        if (limit.Update(now))
        {
            GrantWaiting_NeedsLock();
        }
    }

    /// <summary>The slot has got a message. Any reserved slot will do as the probe's: this is the first message to reach the sink.</summary>
    public void BeginProbe_NeedsLock(MessageSlot slot)
    {
        if (_probe != 0)
        {
            slot.Probe = _probe;
            _probe = 0;
            breaker.ProbeWorking(slot.Probe);
        }
    }

    /// <summary>The slot's attempt has ended. If it was the probe and did not reach the sink, the next message may be the probe.</summary>
    public void EndProbe_NeedsLock(MessageSlot slot)
    {
        if (slot.Probe != 0)
        {
            breaker.ProbeReturned(slot.Probe);
            slot.Probe = 0;
        }
    }

    private void ReturnFinished_NeedsLock()
    {
        TakeFinished_NeedsLock();
        table.CheckDrained_NeedsLock();
        GrantWaiting_NeedsLock();
    }

    private void RetryHeld_NeedsLock(long now)
    {
        held.EndDue_NeedsLock(now);
        if (held.Count == 0)
        {
            return;
        }

        switch (breaker.UpdateState())
        {
            case BreakerState.Closed:
                held.RetryDue_NeedsLock(now);
                break;

            // A new message's turn, if a source waits to receive one.
            case BreakerState.HalfOpen when !_lastProbeWasHeld || IsBarred_NeedsLock() || _waiting.Count == 0:
                _lastProbeWasHeld = true;
                long probe = breaker.ProbeGiven();
                breaker.ProbeWorking(probe);
                held.RetryAsProbe_NeedsLock(probe);
                break;
        }
    }

    private void GrantWaiting_NeedsLock()
    {
        while (_waiting.First is { } first)
        {
            int granted = Grant_NeedsLock(first.Value.Min, first.Value.Max);
            if (granted == 0)
            {
                return;
            }

            _waiting.Remove(first);
            first.Value.Grant(granted);
        }
    }

    private bool IsBarred_NeedsLock() => _isPaused || table.Free == 0 || table.Bytes >= maxBytes;

    /// <summary>Free slots within the limit; negative after a decrease.</summary>
    /// <param name="min">What a source wants at least. As many stay free while messages are held: new ones may have to be probes.</param>
    private int Available_NeedsLock(int min) =>
        Math.Min(table.Free - (held.Count > 0 ? Math.Min(min, table.All.Length / 2) : 0), limit.Current - Loading);

    /// <returns>The slots that are reserved now; 0 when none may be.</returns>
    private int Grant_NeedsLock(int min, int max)
    {
        if (IsBarred_NeedsLock())
        {
            return 0;
        }

        // A limit below the minimum that a source wants must not stop it, nor must held messages, whose followers keep slots, too.
        int available = Available_NeedsLock(min);
        int least = held.Count > 0 ? 1 : Math.Min(min, limit.Current);

        switch (breaker.UpdateState())
        {
            case BreakerState.HalfOpen when held.Count == 0 || _lastProbeWasHeld:
                _lastProbeWasHeld = false;
                _probe = breaker.ProbeGiven();
                return table.Reserve_NeedsLock(1);
            case BreakerState.Closed when available >= least:
                return table.Reserve_NeedsLock(Math.Min(available, max));
            case BreakerState.Closed:
                limit.Wanted();
                return 0;
            default:
                return 0;
        }
    }
}
