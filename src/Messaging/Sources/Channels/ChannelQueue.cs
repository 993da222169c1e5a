using System.Text;
using System.Threading.Channels;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// The messages of one channel route, from <see cref="PublishAsync"/> to their settlement: at most <c>Capacity</c>, including those in flight
/// and those waiting for redelivery. Threads: any number publish and settle; one hands in.
/// </summary>
internal sealed class ChannelQueue : IDisposable
{
    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    // Their buffers stay with them: at most 4 MiB.
    private const int MaxIdle = 1_024;

    private readonly string _route;
    private readonly int _maxMessageBytes;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly InMemoryMessages<ChannelMessage> _inMemory;
    private readonly ChannelCapacity _space;

    private TaskCompletionSource? _whenEmpty;
    private bool _refusing;
    private long _published;

    public ChannelQueue(InMemoryServices services, ChannelSourceOptions options, BufferPool buffers)
    {
        _route = services.Route;
        _maxMessageBytes = options.MaxMessageBytes;
        _buffers = buffers;
        _time = services.Time;
        _inMemory =
            new InMemoryMessages<ChannelMessage>(services, Math.Min(options.Capacity, MaxIdle), static inMemory => new ChannelMessage(inMemory), OnForgotten);
        _space = new ChannelCapacity(options.Capacity);
    }

    public long Published => Volatile.Read(ref _published);

    /// <summary>Messages completed. Never too high, and exact while the queue is empty.</summary>
    public long Completed
    {
        get
        {
            // Calculated, since a counter would cost each message. The order of the reads makes it too low under concurrency, never too high.
            long published = Published;
            long unsettled = Unsettled;
            return Math.Max(0, published - unsettled - DeadLettered - Lost);
        }
    }

    /// <summary>Messages written to the dead letters, including at shutdown.</summary>
    public long DeadLettered => _inMemory.DeadLettered;

    /// <summary>Deliveries that were abandoned.</summary>
    public long Returned => _inMemory.Returned;

    /// <summary>Messages that a shutdown could neither store nor write to the dead letters.</summary>
    public long Lost => _inMemory.Lost;

    /// <summary>Messages in the queue: waiting, in flight, or waiting for redelivery.</summary>
    public int Unsettled => _inMemory.Unsettled;

    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id, MessageProperties properties, CancellationToken cancellationToken)
    {
        CheckSize(body, properties);
        CheckId(id);
        ValueTask space = _space.TakeAsync(cancellationToken);
        if (!space.IsCompletedSuccessfully)
        {
            return PublishWhenSpaceAsync(space, body, id, properties);
        }

        // Returns the waiter, where another thread has granted space meanwhile.
        space.GetAwaiter().GetResult();
        return Enqueue(body.Span, id, properties);
    }

    /// <summary>Completes when the queue is empty: every accepted message was completed or dead-lettered.</summary>
    public Task WhenEmptyAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource created = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiting = Interlocked.CompareExchange(ref _whenEmpty, created, null) ?? created;

        // Checked after the waiter is set: the thread that removes the last message looks for the waiter after decrementing the count.
        SignalIfEmpty();
        return waiting.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Hands messages in until the token is cancelled; then refuses publishers, including those that wait for space.</summary>
    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stop)
    {
        await _inMemory.HandInAsync(intake, stop);
        Refuse();
    }

    /// <summary>Hands in messages, including abandoned ones, until the queue is empty or the token is cancelled.</summary>
    public Task DrainAsync(IMessageIntake intake, CancellationToken stop) => _inMemory.DrainAsync(intake, Task.CompletedTask, stop);

    /// <summary>Closes the queue: <see cref="InMemoryMessages{T}.CloseAsync"/>.</summary>
    public Task CloseAsync(CancellationToken cancellationToken)
    {
        Refuse();
        return _inMemory.CloseAsync(cancellationToken);
    }

    public void Dispose() => _inMemory.Dispose();

    private void Refuse()
    {
        if (!Interlocked.Exchange(ref _refusing, true))
        {
            // Space for one message too many; each refused publisher passes it on to the next.
            _space.Return();
        }
    }

    private async ValueTask PublishWhenSpaceAsync(ValueTask space, ReadOnlyMemory<byte> body, string? id, MessageProperties properties)
    {
        await space;
        await Enqueue(body.Span, id, properties);
    }

    private ValueTask Enqueue(ReadOnlySpan<byte> body, string? id, MessageProperties properties)
    {
        // The message is counted before the flag is read, and a shutdown sets the flag before it reads the count: one of them sees the
        // other, so the last message is never missed.
        ChannelMessage message = _inMemory.Take();
        if (!Volatile.Read(ref _refusing))
        {
            message.Open(body, id, properties, _buffers, _time.GetUtcNow());
            Interlocked.Increment(ref _published);
            if (_inMemory.TryPut(message))
            {
                return default;
            }

            Interlocked.Decrement(ref _published);
        }

        _inMemory.Forget(message);
        return ValueTask.FromException(Refused());
    }

    private void OnForgotten()
    {
        SignalIfEmpty();
        _space.Return();
    }

    private void SignalIfEmpty()
    {
        if (_inMemory.Unsettled == 0)
        {
            Interlocked.Exchange(ref _whenEmpty, null)?.TrySetResult();
        }
    }

    private ChannelClosedException Refused() => new(
        $"Route '{_route}' is stopping and accepts no more messages. This message was not accepted: publish it again after the restart.");

    private void CheckSize(ReadOnlyMemory<byte> body, MessageProperties properties)
    {
        if (body.Length > _maxMessageBytes)
        {
            throw new ArgumentException(
                $"The body has {body.Length} bytes; route '{_route}' allows at most {_maxMessageBytes} "
                    + $"({ChannelSourceOptions.Section}:{nameof(ChannelSourceOptions.MaxMessageBytes)}).",
                nameof(body));
        }

        if (properties != MessageProperties.None && body.Length + properties.Bytes > _maxMessageBytes)
        {
            throw new ArgumentException(
                $"The body has {body.Length} bytes and its properties {properties.Bytes}; route '{_route}' allows at most {_maxMessageBytes} together "
                    + $"({ChannelSourceOptions.Section}:{nameof(ChannelSourceOptions.MaxMessageBytes)}).",
                nameof(properties));
        }
    }

    private static void CheckId(string? id)
    {
        if (id is null)
        {
            return;
        }

        int bytes;
        try
        {
            bytes = StrictUtf8.GetByteCount(id);
        }
        catch (EncoderFallbackException exception)
        {
            throw new ArgumentException("The id is not valid text: it contains a lone surrogate.", nameof(id), exception);
        }

        if (bytes is 0 or > ChannelMessage.MaxIdBytes)
        {
            throw new ArgumentException(
                $"The id must have 1 to {ChannelMessage.MaxIdBytes} bytes of UTF-8; this one has {bytes}. Pass null for a new id.", nameof(id));
        }
    }
}
