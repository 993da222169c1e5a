using System.Text;
using System.Threading.Channels;
using Messaging.Sources.Held;
using Pipeline.Buffers;

namespace Messaging.Sources.Channels;

/// <summary>
/// The messages of one channel route, from <see cref="PublishAsync"/> to their settlement. At most <c>Capacity</c> are held,
/// those in work and those waiting for another attempt included. Threads: any number publish and settle; one hands in.
/// </summary>
internal sealed class ChannelQueue : IDisposable
{
    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly string _route;
    private readonly int _maxMessageBytes;
    private readonly BufferPool _buffers;
    private readonly TimeProvider _time;
    private readonly HeldMessages<ChannelMessage> _held;
    private readonly SemaphoreSlim _room;

    private TaskCompletionSource? _whenEmpty;
    private bool _refusing;
    private long _published;

    public ChannelQueue(HeldServices services, ChannelSourceOptions options, BufferPool buffers)
    {
        _route = services.Route;
        _maxMessageBytes = options.MaxMessageBytes;
        _buffers = buffers;
        _time = services.Time;
        _held = new HeldMessages<ChannelMessage>(services, options.Capacity, static held => new ChannelMessage(held), OnForgotten);
        _room = new SemaphoreSlim(options.Capacity);
    }

    /// <summary>Messages accepted from publishers.</summary>
    public long Published => Volatile.Read(ref _published);

    /// <summary>Messages completed: the sink has them. Never too many, and exact while nothing is held.</summary>
    public long Completed
    {
        get
        {
            // Not counted, since each message would pay for it. Read in this order: what goes on meanwhile makes it too low, never too high.
            long published = Published;
            long held = Held;
            return Math.Max(0, published - held - DeadLettered - Lost);
        }
    }

    /// <summary>Messages written to the dead letters, those left over at the stop included.</summary>
    public long DeadLettered => _held.DeadLettered;

    /// <summary>Deliveries that came back to be tried again.</summary>
    public long Returned => _held.Returned;

    /// <summary>Messages that a stop left over and that the dead letters did not take.</summary>
    public long Lost => _held.Lost;

    /// <summary>Messages held now: waiting, in work, or waiting for another attempt.</summary>
    public int Held => _held.Unsettled;

    /// <summary>See <see cref="IMessagePublisher.PublishAsync"/>.</summary>
    public ValueTask PublishAsync(ReadOnlyMemory<byte> body, string? id, CancellationToken cancellationToken)
    {
        CheckBody(body.Length);
        CheckId(id);
        Task room = _room.WaitAsync(cancellationToken);
        return room.IsCompletedSuccessfully ? Enqueue(body.Span, id) : PublishWhenRoomAsync(room, body, id);
    }

    /// <summary>Completes when nothing is held: everything accepted so far was completed or dead-lettered.</summary>
    public Task WhenEmptyAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource created = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource waiting = Interlocked.CompareExchange(ref _whenEmpty, created, null) ?? created;

        // Looked at after the waiter is in place: the thread that removes the last message looks for the waiter after counting down.
        SignalIfEmpty();
        return waiting.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Hands messages in until the token ends; from then on publishers are refused, those who wait for room too.</summary>
    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stop)
    {
        await _held.HandInAsync(intake, stop);
        Refuse();
    }

    /// <summary>Hands in what is held, and what comes back, until nothing is held any more or the token ends.</summary>
    public Task DrainAsync(IMessageIntake intake, CancellationToken stop) => _held.DrainAsync(intake, Task.CompletedTask, stop);

    /// <summary>Ends the queue: <see cref="HeldMessages{T}.CloseAsync"/>.</summary>
    public Task CloseAsync(CancellationToken cancellationToken)
    {
        Refuse();
        return _held.CloseAsync(cancellationToken);
    }

    // The semaphore stays usable: a message in work may still be settled afterwards.
    public void Dispose() => _held.Dispose();

    private void Refuse()
    {
        if (!Interlocked.Exchange(ref _refusing, true))
        {
            // One place too many; each waiting publisher passes it on to the next.
            _room.Release();
        }
    }

    private async ValueTask PublishWhenRoomAsync(Task room, ReadOnlyMemory<byte> body, string? id)
    {
        await room;
        await Enqueue(body.Span, id);
    }

    private ValueTask Enqueue(ReadOnlySpan<byte> body, string? id)
    {
        // Counted as held before the flag is read, while a stop sets the flag before it reads the count: one of the two sees the
        // other, so the last message is never missed.
        ChannelMessage message = _held.Take();
        if (!Volatile.Read(ref _refusing))
        {
            message.Open(body, id, _buffers, _time.GetUtcNow());
            Interlocked.Increment(ref _published);
            if (_held.TryPut(message))
            {
                return default;
            }

            Interlocked.Decrement(ref _published);
        }

        _held.Forget(message);
        return ValueTask.FromException(Refused());
    }

    private void OnForgotten()
    {
        SignalIfEmpty();
        _room.Release();
    }

    private void SignalIfEmpty()
    {
        if (_held.Unsettled == 0)
        {
            Interlocked.Exchange(ref _whenEmpty, null)?.TrySetResult();
        }
    }

    private ChannelClosedException Refused() => new(
        $"Route '{_route}' is stopping and takes no more messages. This one was not accepted: keep it, and publish it again after the restart.");

    private void CheckBody(int length)
    {
        if (length > _maxMessageBytes)
        {
            throw new ArgumentException(
                $"The body has {length} bytes; route '{_route}' takes at most {_maxMessageBytes} ({ChannelSourceOptions.Section}:{nameof(ChannelSourceOptions.MaxMessageBytes)}).",
                nameof(length));
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
            throw new ArgumentException("The id is not valid text: it holds half a surrogate pair.", nameof(id), exception);
        }

        if (bytes is 0 or > ChannelMessage.MaxIdBytes)
        {
            throw new ArgumentException($"The id must have 1 to {ChannelMessage.MaxIdBytes} bytes of UTF-8; this one has {bytes}. Pass null for a new id.", nameof(id));
        }
    }
}
