using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// Acknowledges the completed deliveries of one channel in batches. One frame acknowledges all deliveries up to a tag, but only while every
/// delivery before it is settled; the others get a frame each. Threads: any.
/// </summary>
internal sealed class Acknowledgements : IDisposable
{
    // A frame per 64 messages costs little enough, and the broker refills the prefetch in time.
    private const int MaxBatch = 64;

    // How long a completed message waits for others; the sooner the fewer are in flight.
    private static readonly TimeSpan MaxWait = TimeSpan.FromMilliseconds(5);

    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _sending = new(1);
    private readonly IChannel _channel;
    private readonly RabbitMqLog _log;
    private readonly ITimer _timer;
    private List<ulong> _completed = [];
    private List<ulong> _taken = [];
    private bool _isDue;
    private bool _isWaiting;

    // The deliveries that are not settled, oldest first: their tags ascend.
    private RabbitMqMessage? _oldest;
    private RabbitMqMessage? _newest;
    private int _unsettled;

    public Acknowledgements(IChannel channel, TimeProvider time, RabbitMqLog log)
    {
        _channel = channel;
        _log = log;
        _timer = time.CreateTimer(static state => ((Acknowledgements)state!).Flush(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Adds a delivery, in the order of the tags.</summary>
    public void Add(RabbitMqMessage message)
    {
        lock (_gate)
        {
            message.Previous = _newest;
            _oldest ??= message;
            _newest?.Next = message;
            _newest = message;
            _unsettled++;
        }
    }

    /// <summary>Removes a delivery that was rejected. Not before: a batch that is sent first would acknowledge it.</summary>
    public void Remove(RabbitMqMessage message)
    {
        lock (_gate)
        {
            Unlink(message);
        }
    }

    /// <summary>Acknowledges a delivery, soon.</summary>
    public void Complete(RabbitMqMessage message)
    {
        lock (_gate)
        {
            Unlink(message);
            _completed.Add(message.Tag);
            if (_isDue)
            {
                return;
            }

            if (_completed.Count < Math.Min(MaxBatch, _unsettled))
            {
                if (!_isWaiting)
                {
                    _isWaiting = true;
                    _timer.Change(MaxWait, Timeout.InfiniteTimeSpan);
                }

                return;
            }

            _isDue = true;
        }

        _ = FlushAsync();
    }

    /// <summary>Sends what is completed so far. Never throws: the broker redelivers what it has no acknowledgement of.</summary>
    public async Task FlushAsync()
    {
        // One at a time: a later batch would acknowledge the tags of an earlier one, which the broker then refuses.
        await _sending.WaitAsync();
        try
        {
            ulong oldest;
            lock (_gate)
            {
                (_completed, _taken) = (_taken, _completed);
                _isDue = _isWaiting = false;
                oldest = _oldest?.Tag ?? ulong.MaxValue;
            }

            ulong upTo = _taken.Where(tag => tag < oldest).DefaultIfEmpty().Max();
            if (upTo > 0)
            {
                await _channel.BasicAckAsync(upTo, multiple: true);
            }

            foreach (ulong tag in _taken)
            {
                if (tag > oldest)
                {
                    await _channel.BasicAckAsync(tag, multiple: false);
                }
            }
        }
        catch (Exception exception) when (RabbitMqFault.IsOne(exception))
        {
            _log.AcknowledgeFailed(_taken.Count, exception);
        }
        finally
        {
            _taken.Clear();
            _sending.Release();
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Flush()
    {
        lock (_gate)
        {
            if (_isDue || _completed.Count == 0)
            {
                _isWaiting = false;
                return;
            }

            _isDue = true;
        }

        _ = FlushAsync();
    }

    private void Unlink(RabbitMqMessage message)
    {
        if (message.Previous is { } previous)
        {
            previous.Next = message.Next;
        }
        else
        {
            _oldest = message.Next;
        }

        if (message.Next is { } next)
        {
            next.Previous = message.Previous;
        }
        else
        {
            _newest = message.Previous;
        }

        message.Previous = message.Next = null;
        _unsettled--;
    }
}
