using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Intake;

/// <content>Reserving, waiting for, granting and releasing slots.</content>
internal sealed partial class MessageIntake
{
    // By the operator. Under the lock.
    private bool _isPaused;
    private TaskCompletionSource? _whenPaused;

    /// <summary>Messages that may be in flight now, by what the throughput and the store's answers have shown.</summary>
    public int Limit
    {
        get
        {
            lock (_lock)
            {
                return _limit.Current;
            }
        }
    }

    // Reserved slots without a message. Under the lock.
    private int Reserved => _freeSlots.Count - _free;

    // Slots in use, but for held messages: they only wait. Under the lock.
    private int Loading => _slots.Length - _free - _held.Count;

    public ValueTask<SlotLease> ReserveAsync(int min, int max, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(min, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, min);
        cancellationToken.ThrowIfCancellationRequested();
        min = Math.Min(min, _slots.Length);
        SlotRequest request;
        lock (_lock)
        {
            TakeFinished();
            WasAsked = true;

            // Earlier waiters go first.
            int granted = _waiting.Count == 0 ? Grant(min, max) : 0;
            if (granted > 0)
            {
                return new ValueTask<SlotLease>(new SlotLease(this, granted));
            }

            request = _requests.TryTake(out SlotRequest? pooled) ? pooled : new SlotRequest(this);
            request.Open(min, max);
            _waiting.AddLast(request.Node);
        }

        return request.WaitAsync(cancellationToken);
    }

    public IntakeAnswer TryReserve(out SlotLease slot)
    {
        IntakeAnswer answer = Answer();
        slot = answer == IntakeAnswer.Reserved ? new SlotLease(this, 1) : default;
        return answer;
    }

    private IntakeAnswer Answer()
    {
        lock (_lock)
        {
            TakeFinished();
            WasAsked = true;
            if (_stopping)
            {
                return IntakeAnswer.Stopping;
            }

            if (_isPaused || _breaker.UpdateState() == BreakerState.Open)
            {
                return IntakeAnswer.Paused;
            }

            if (_waiting.Count == 0 && Grant(1, 1) == 1)
            {
                return IntakeAnswer.Reserved;
            }

            return IntakeAnswer.Full;
        }
    }

    /// <summary>
    /// While it is paused, no slot is granted, whatever the breaker says. Slots that are reserved already may still receive; held messages are
    /// retried and may probe the sink.
    /// </summary>
    public void SetPaused(bool isPaused)
    {
        TaskCompletionSource? paused = null;
        lock (_lock)
        {
            _isPaused = isPaused;
            if (isPaused)
            {
                (paused, _whenPaused) = (_whenPaused, null);
            }
            else
            {
                TakeFinished();
                GrantWaiting();
            }
        }

        paused?.SetResult();
    }

    public Task WhenPausedAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            return _isPaused
                ? Task.CompletedTask
                : (_whenPaused ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task.WaitAsync(cancellationToken);
        }
    }

    public void Release(int slots)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(slots);
        if (slots == 0)
        {
            return;
        }

        lock (_lock)
        {
            if (slots > Reserved)
            {
                throw new InvalidOperationException($"Release was called for {slots} slots, but only {Reserved} are reserved.");
            }

            _free += slots;
            _limit.Returned(slots);
            EndUnusedProbe();
            CheckDrained();
            GrantWaiting();
        }
    }

    /// <summary>The caller of a request has cancelled it.</summary>
    internal void Withdraw(SlotRequest request)
    {
        lock (_lock)
        {
            if (request.Node.List is null)
            {
                return;
            }

            _waiting.Remove(request.Node);
            request.CompleteCancelled();

            // The next request may need fewer slots.
            GrantWaiting();
        }
    }

    /// <summary>Adds the slots that have become free since a request was granted, unless another one waits.</summary>
    /// <returns>The slots that the request has now.</returns>
    internal int TopUp(int granted, int max)
    {
        lock (_lock)
        {
            TakeFinished();
            if (_isPaused
                || _waiting.Count > 0
                || granted >= max
                || _held.Count > 0
                || _bytes >= _options.BytesInFlight
                || _breaker.UpdateState() != BreakerState.Closed)
            {
                return granted;
            }

            int more = Math.Clamp(Available(min: 1), 0, max - granted);
            _free -= more;
            return granted + more;
        }
    }

    internal void Recycle(SlotRequest request) => _requests.Return(request);

    /// <summary>Under the lock: without a reserved slot, no caller has the probe.</summary>
    private void EndUnusedProbe()
    {
        if (_probe != 0 && Reserved == 0)
        {
            _breaker.ProbeReturned(_probe);
            _probe = 0;
        }
    }

    /// <summary>Under the lock.</summary>
    private void CheckDrained()
    {
        if (_free == _slots.Length)
        {
            _drained?.SetResult();
            _drained = null;
        }
    }

    /// <summary>Under the lock.</summary>
    private void TakeFinished()
    {
        if (Volatile.Read(ref _finished) is null)
        {
            return;
        }

        int finished = 0;
        MessageSlot? next = Interlocked.Exchange(ref _finished, null);
        while (next is { } slot)
        {
            finished++;
            next = slot.NextFinished;
            slot.NextFinished = null;
            _free++;
            _bytes -= slot.Bytes;
            _freeSlots.Push(slot);
            if (slot.Probe != 0)
            {
                _breaker.ProbeReturned(slot.Probe);
                slot.Probe = 0;
            }
        }

        _limit.Finished(finished);
    }

    /// <summary>Under the lock.</summary>
    private void GrantWaiting()
    {
        while (_waiting.First is { } first)
        {
            SlotRequest request = first.Value;
            int granted = Grant(request.Min, request.Max);
            if (granted == 0)
            {
                return;
            }

            _waiting.Remove(first);
            request.Grant(granted);
        }
    }

    private void Throttled()
    {
        lock (_lock)
        {
            _limit.Throttled(_time.GetTimestamp());
        }
    }

    /// <summary>Under the lock: free slots within the limit; negative after a decrease.</summary>
    /// <param name="min">What a source wants at least. As many stay free while messages are held: new ones may have to be probes.</param>
    private int Available(int min) => Math.Min(_free - (_held.Count > 0 ? Math.Min(min, _slots.Length / 2) : 0), _limit.Current - Loading);

    /// <summary>Under the lock: takes slots if limit, bytes and breaker allow it; returns 0 otherwise.</summary>
    private int Grant(int min, int max)
    {
        if (_isPaused || _free == 0 || _bytes >= _options.BytesInFlight)
        {
            return 0;
        }

        // A limit below the minimum that a source wants must not stop it, nor must held messages, whose followers keep slots, too.
        int available = Available(min);
        int least = _held.Count > 0 ? 1 : Math.Min(min, _limit.Current);

        switch (_breaker.UpdateState())
        {
            case BreakerState.Open:
                return 0;
            case BreakerState.HalfOpen when _free > 0 && (_held.Count == 0 || _lastProbeWasHeld):
                _lastProbeWasHeld = false;
                _probe = _breaker.ProbeGiven();
                _free--;
                return 1;
            case BreakerState.Closed when available >= least:
                int granted = Math.Min(available, max);
                _free -= granted;
                return granted;
            case BreakerState.Closed:
                _limit.Wanted();
                return 0;
            default:
                return 0;
        }
    }
}
