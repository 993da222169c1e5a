using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>
/// Bounds the requests in flight by a limit that follows the store (<see cref="AdaptiveLimit"/>). First come, first served. Allocates
/// nothing when a permit is free, and next to nothing for a wait. Threads: any; one short lock.
/// </summary>
internal sealed class ConcurrencyLimiter
{
    // About 300 B each: bounds the idle memory.
    private const int RetainedWaiters = 4_096;

    private readonly TimeProvider _time;
    private readonly ConcurrencyMetrics _metrics;
    private readonly Lock _lock = new();
    private readonly AdaptiveLimit _limit;
    private readonly LinkedList<PermitWaiter> _waiting = new();
    private readonly BoundedPool<PermitWaiter> _waiters = new(RetainedWaiters);
    private int _inFlight;
    private long _given;

    /// <summary>Bounds are at least 1; <paramref name="min"/> is cut to <paramref name="max"/>. Equal bounds fix the limit. No metrics without a route.</summary>
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

    /// <summary>Requests in flight; above the limit for a while after a decrease.</summary>
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

    /// <summary>Requests that wait for a permit.</summary>
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

    /// <summary>Waits up to <paramref name="patience"/> for a permit; after that the result is no permit. A cancelled caller has taken none.</summary>
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

    /// <summary>Returns a permit; <paramref name="latency"/> does not include the wait for it.</summary>
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

    /// <summary>Ends the wait if its time is over. A late timer of an earlier wait may find another wait, or none.</summary>
    internal void Expire(PermitWaiter waiter)
    {
        lock (_lock)
        {
            if (waiter.Node.List is null)
            {
                return;
            }

            TimeSpan left = waiter.Deadline.Limit - _time.GetElapsedTime(waiter.Deadline.Since);
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

    /// <summary>Called under the lock.</summary>
    private Permit Take()
    {
        _inFlight++;
        return new Permit(++_given);
    }
}
