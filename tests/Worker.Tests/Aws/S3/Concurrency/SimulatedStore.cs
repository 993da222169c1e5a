using Messaging.Aws.S3.Sink.Concurrency;

namespace Worker.Tests.Aws.S3.Concurrency;

/// <summary>
/// A store that serves <see cref="Capacity"/> requests at once, each in <see cref="Service"/>, and queues the others, under a worker that
/// always has <see cref="Demand"/> messages to store. Time follows its events, so every run is the same.
/// </summary>
internal sealed class SimulatedStore(ConcurrencyLimiter limiter)
{
    private readonly PriorityQueue<Request, (TimeSpan At, long Order)> _inFlight = new();
    private readonly PriorityQueue<TimeSpan, TimeSpan> _busy = new();
    private TimeSpan _now;
    private long _order;

    public int Capacity { get; set; } = 16;

    public TimeSpan Service { get; set; } = TimeSpan.FromMilliseconds(40);

    public int Demand { get; set; } = 64;

    /// <summary>Bytes of the n-th request.</summary>
    public Func<long, int> Bytes { get; set; } = _ => 1_024;

    /// <summary>Time for the bytes, in addition to <see cref="Service"/>.</summary>
    public Func<int, TimeSpan> Transfer { get; set; } = _ => TimeSpan.Zero;

    /// <summary>How the n-th request ends.</summary>
    public Func<long, RequestOutcome> Outcome { get; set; } = _ => RequestOutcome.Succeeded;

    /// <summary>A random factor of each service time.</summary>
    public Func<double> Spread { get; set; } = () => 1;

    public long Completed { get; private set; }

    /// <summary>Runs requests, and records the limit after each.</summary>
    /// <param name="length">The simulated time.</param>
    /// <param name="thenEnd">True to end the requests in flight afterwards without an effect on the limit.</param>
    /// <returns>Smallest and largest limit.</returns>
    public (int Least, int Largest) Run(TimeSpan length, bool thenEnd = false)
    {
        TimeSpan end = _now + length;
        (int least, int largest) = (int.MaxValue, 0);
        Send();
        while (_inFlight.TryPeek(out Request? request, out (TimeSpan At, long Order) due) && due.At <= end)
        {
            _inFlight.Dequeue();
            _now = due.At;
            Completed++;
            limiter.Release(request.Permit, request.Outcome, request.Bytes, _now - request.Sent);
            (least, largest) = (Math.Min(least, limiter.Limit), Math.Max(largest, limiter.Limit));
            Send();
        }

        _now = end;
        while (thenEnd && _inFlight.TryDequeue(out Request? request, out _))
        {
            limiter.Release(request.Permit, RequestOutcome.Neutral, request.Bytes, TimeSpan.Zero);
        }

        return (least, largest);
    }

    private void Send()
    {
        while (_inFlight.Count < Demand)
        {
            Permit permit = limiter.AcquireAsync(TimeSpan.Zero, default).Result;
            if (!permit.IsConfigured)
            {
                return;
            }

            while (_busy.TryPeek(out TimeSpan free, out _) && free <= _now)
            {
                _busy.Dequeue();
            }

            // Served by the first free server.
            TimeSpan begins = _now;
            if (_busy.Count >= Capacity)
            {
                TimeSpan[] ends = [.. _busy.UnorderedItems.Select(item => item.Element).Order()];
                begins = ends[_busy.Count - Capacity];
            }

            long order = _order++;
            int bytes = Bytes(order);
            TimeSpan ready = begins + ((Service + Transfer(bytes)) * Spread());
            _busy.Enqueue(ready, ready);
            _inFlight.Enqueue(new Request(permit, _now, bytes, Outcome(order)), (ready, order));
        }
    }

    private sealed record Request(Permit Permit, TimeSpan Sent, int Bytes, RequestOutcome Outcome);
}
