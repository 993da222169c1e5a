using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// Bounds the requests in flight by a limit that follows the store (<see cref="AdaptiveLimit"/>). First come, first served; nothing is
/// allocated when a permit is free, and next to nothing when it must be waited for. Threads: any; one short lock.
/// </summary>
internal sealed class ConcurrencyLimiter
{
    // Of about 300 B each: the most that idle memory is worth.
    private const int RetainedWaiters = 4_096;

    private readonly TimeProvider _time;
    private readonly ConcurrencyMetrics _metrics;
    private readonly Lock _lock = new();
    private readonly AdaptiveLimit _limit;
    private readonly LinkedList<PermitWaiter> _waiting = new();
    private readonly BoundedPool<PermitWaiter> _waiters = new(RetainedWaiters);
    private int _inFlight;
    private long _given;

    /// <param name="min">The least the limit can be, at least 1; one above <paramref name="max"/> is taken for it.</param>
    /// <param name="max">The most; equal to <paramref name="min"/> nothing adapts.</param>
    /// <param name="time">Ends waits.</param>
    /// <param name="route">For metrics; null publishes none.</param>
    public ConcurrencyLimiter(int min, int max, TimeProvider time, string? route = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(min, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        _time = time;
        _limit = new AdaptiveLimit(Math.Min(min, max), max);
        _metrics = new ConcurrencyMetrics(route, this);
    }

    /// <summary>Requests that may be in flight now.</summary>
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

    /// <summary>Requests in flight; for a while above the limit after that fell.</summary>
    public int InFlight
    {
        get
        {
            lock (_lock)
            {
                return _inFlight;
            }
        }
    }

    /// <summary>Requests that wait for their turn.</summary>
    public int Waiting
    {
        get
        {
            lock (_lock)
            {
                return _waiting.Count;
            }
        }
    }

    /// <summary>Waits for a permit.</summary>
    /// <param name="patience">How long; then the result is no permit.</param>
    /// <param name="cancellationToken">Ends the wait; a cancelled caller has taken no permit.</param>
    public ValueTask<Permit> AcquireAsync(TimeSpan patience, CancellationToken cancellationToken)
    {
        PermitWaiter waiter;
        lock (_lock)
        {
            if (_waiting.Count == 0 && _inFlight < _limit.Current)
            {
                return new ValueTask<Permit>(Take());
            }

            if (patience <= TimeSpan.Zero)
            {
                return default;
            }

            waiter = _waiters.TryTake(out PermitWaiter? pooled) ? pooled : new PermitWaiter(this, _time);
            waiter.Deadline = (_time.GetTimestamp(), patience);
            _waiting.AddLast(waiter.Node);
        }

        return waiter.WaitAsync(cancellationToken);
    }

    /// <summary>Gives a permit back.</summary>
    /// <param name="permit">As it was given.</param>
    /// <param name="outcome">What the request says about the store's load.</param>
    /// <param name="bytes">What it carried.</param>
    /// <param name="latency">How long it took, without the wait for the permit.</param>
    public void Release(Permit permit, RequestOutcome outcome, int bytes, TimeSpan latency)
    {
        LimitChange change;
        lock (_lock)
        {
            bool full = _waiting.Count > 0 || _inFlight >= _limit.Current;
            _inFlight--;
            change = _limit.Ended(permit.Number, _given + 1, full, outcome, bytes, latency);
            while (_inFlight < _limit.Current && _waiting.First is { } first)
            {
                _waiting.Remove(first);
                first.Value.Give(Take());
            }
        }

        _metrics.Changed(change);
    }

    internal void Recycle(PermitWaiter waiter) => _waiters.Return(waiter);

    /// <summary>The waiter's time may be over. A timer that was late for an earlier wait finds another one, or none.</summary>
    internal void Expire(PermitWaiter waiter)
    {
        lock (_lock)
        {
            if (waiter.Node.List is null)
            {
                return;
            }

            TimeSpan left = waiter.Deadline.Patience - _time.GetElapsedTime(waiter.Deadline.Since);
            if (left > TimeSpan.Zero)
            {
                waiter.Rearm(left + TimeSpan.FromMilliseconds(1));
                return;
            }

            _waiting.Remove(waiter.Node);
            waiter.Give(default);
        }
    }

    internal void Cancel(PermitWaiter waiter)
    {
        lock (_lock)
        {
            if (waiter.Node.List is not null)
            {
                _waiting.Remove(waiter.Node);
                waiter.GiveUp();
            }
        }
    }

    /// <summary>Under the lock.</summary>
    private Permit Take()
    {
        _inFlight++;
        return new Permit(++_given);
    }
}
