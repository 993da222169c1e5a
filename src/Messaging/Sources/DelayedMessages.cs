namespace Quayside.Messaging.Sources;

/// <summary>Abandoned messages that wait for their next delivery, on one timer. Threads: any.</summary>
/// <typeparam name="T">The source's message.</typeparam>
internal sealed class DelayedMessages<T> : IDisposable
    where T : class
{
    // Longer than any backoff, and far below the 49 days that a timer supports.
    private static readonly TimeSpan LongestDelay = TimeSpan.FromDays(1);

    private readonly Lock _gate = new();
    private readonly PriorityQueue<T, long> _byDue = new();
    private readonly TimeProvider _time;
    private readonly Action<T> _ready;
    private readonly ITimer _timer;
    private bool _closed;

    /// <param name="time">The clock.</param>
    /// <param name="ready">Called with each message when its delay ends; must not block. Called under the lock, so never after <see cref="Close"/>.</param>
    public DelayedMessages(TimeProvider time, Action<T> ready)
    {
        _time = time;
        _ready = ready;
        _timer = time.CreateTimer(static state => ((DelayedMessages<T>)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Keeps the message for <paramref name="delay"/>.</summary>
    /// <returns>False when closed; the caller keeps the message.</returns>
    public bool TryAdd(T message, TimeSpan delay)
    {
        TimeSpan bounded = delay < LongestDelay ? delay : LongestDelay;
        long due = _time.GetTimestamp() + (long)Math.Ceiling(bounded.TotalSeconds * _time.TimestampFrequency);
        lock (_gate)
        {
            if (_closed)
            {
                return false;
            }

            _byDue.Enqueue(message, due);
            if (ReferenceEquals(_byDue.Peek(), message))
            {
                Arm(due);
            }

            return true;
        }
    }

    /// <summary>Stops waiting and returns the messages that still waited; returns none when called again.</summary>
    public List<T> Close()
    {
        lock (_gate)
        {
            _closed = true;
            List<T> rest = [.. _byDue.UnorderedItems.Select(item => item.Element)];
            _byDue.Clear();
            return rest;
        }
    }

    public void Dispose() => _timer.Dispose();

    private void OnTimer()
    {
        lock (_gate)
        {
            long now = _time.GetTimestamp();
            while (_byDue.TryPeek(out T? message, out long due))
            {
                if (due > now)
                {
                    Arm(due);
                    return;
                }

                _byDue.Dequeue();
                _ready(message);
            }
        }
    }

    private void Arm(long due)
    {
        // Rounded up to the timer's millisecond, or it would fire too early.
        double milliseconds = Math.Ceiling(_time.GetElapsedTime(_time.GetTimestamp(), due).TotalMilliseconds);
        _timer.Change(TimeSpan.FromMilliseconds(Math.Max(milliseconds, 0)), Timeout.InfiniteTimeSpan);
    }
}
