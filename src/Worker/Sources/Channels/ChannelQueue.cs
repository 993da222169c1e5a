using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Pipeline.Buffers;
using Pipeline.Settlements;
using Worker.DeadLetters;
using Worker.Recoverability;

namespace Worker.Sources.Channels;

/// <summary>
/// The messages of one channel route, from <see cref="PublishAsync"/> to their settlement. At most <c>Capacity</c> are held,
/// those in work and those waiting for another attempt included; so the channel can take every one of them, and putting a
/// message back never waits and never fails. Threads: any number publish and settle; one takes.
/// </summary>
internal sealed class ChannelQueue : IDisposable
{
    /// <summary>The reason code of messages that a stop left unprocessed.</summary>
    public const string UnprocessedReason = "unprocessed-at-stop";

    // Null entries only wake the reader: one for the end of receiving, one for the end of draining.
    private const int WakeUps = 2;

    // Writing a dead letter waits for the disk, not for the processor; 8 keep a disk busy.
    private const int SpillParallelism = 8;

    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private static readonly Backoff DeadLetterBackoff = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(30));

    private readonly string _route;
    private readonly int _maxMessageBytes;
    private readonly BufferPool _buffers;
    private readonly IDeadLetterStore _deadLetters;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Channel<ChannelMessage?> _ready;
    private readonly SemaphoreSlim _room;
    private readonly DelayedMessages<ChannelMessage> _delayed;
    private readonly BoundedPool<ChannelMessage> _messages;

    private TaskCompletionSource? _whenEmpty;
    private int _held;
    private bool _refusing;
    private long _published;
    private long _completed;
    private long _deadLettered;
    private long _returned;
    private long _lost;

    public ChannelQueue(string route, ChannelSourceOptions options, BufferPool buffers, IDeadLetterStore deadLetters, TimeProvider time, ILogger logger)
    {
        _route = route;
        _maxMessageBytes = options.MaxMessageBytes;
        _buffers = buffers;
        _deadLetters = deadLetters;
        _time = time;
        _logger = logger;
        _ready = Channel.CreateBounded<ChannelMessage?>(new BoundedChannelOptions(options.Capacity + WakeUps)
        {
            FullMode = BoundedChannelFullMode.Wait,
            SingleReader = true,
            SingleWriter = false,

            // The reader works on the pool: a publisher or a settling thread never runs the receive loop.
            AllowSynchronousContinuations = false,
        });
        _room = new SemaphoreSlim(options.Capacity);
        _messages = new BoundedPool<ChannelMessage>(options.Capacity);
        _delayed = new DelayedMessages<ChannelMessage>(time, message => _ready.Writer.TryWrite(message));
    }

    /// <summary>Messages accepted from publishers.</summary>
    public long Published => Volatile.Read(ref _published);

    /// <summary>Messages completed: the sink has them.</summary>
    public long Completed => Volatile.Read(ref _completed);

    /// <summary>Messages written to the dead letters, those left over at the stop included.</summary>
    public long DeadLettered => Volatile.Read(ref _deadLettered);

    /// <summary>Deliveries that came back to be tried again.</summary>
    public long Returned => Volatile.Read(ref _returned);

    /// <summary>Messages that a stop left over and that the dead letters did not take.</summary>
    public long Lost => Volatile.Read(ref _lost);

    /// <summary>Messages held now: waiting, in work, or waiting for another attempt.</summary>
    public int Held => Volatile.Read(ref _held);

    /// <summary>Messages that could be taken now.</summary>
    public int ReadyCount => _ready.Reader.Count;

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

        // Looked at after the waiter is in place: whoever removes the last message looks for the waiter after counting down.
        if (Volatile.Read(ref _held) == 0)
        {
            SignalEmpty();
        }

        return waiting.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Waits until a message can be taken, or <see cref="Wake"/>.</summary>
    /// <returns>False when nothing will ever come again: publishing ended and nothing is held.</returns>
    public ValueTask<bool> WaitAsync() => _ready.Reader.WaitToReadAsync(CancellationToken.None);

    /// <summary>True when there is a message to take; removes wake-ups in front of it.</summary>
    public bool HasMessage()
    {
        while (_ready.Reader.TryPeek(out ChannelMessage? message))
        {
            if (message is not null)
            {
                return true;
            }

            _ready.Reader.TryRead(out _);
        }

        return false;
    }

    /// <summary>Takes the next message; from here to its settlement the caller owns it.</summary>
    public bool TryTake([NotNullWhen(true)] out ChannelMessage? message)
    {
        while (_ready.Reader.TryRead(out message))
        {
            if (message is not null)
            {
                message.BeginDelivery();
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Ends a pending <see cref="WaitAsync"/>. An entry instead of a token, because waiting with a token allocates on every wait.
    /// At most twice in the queue's life.
    /// </summary>
    public void Wake() => _ready.Writer.TryWrite(null);

    /// <summary>Refuses publishers from now on, those who wait for room too. What is held stays.</summary>
    public void Refuse()
    {
        if (Interlocked.Exchange(ref _refusing, true))
        {
            return;
        }

        // One place too many; each waiting publisher passes it on to the next.
        _room.Release();
        if (Volatile.Read(ref _held) == 0)
        {
            SignalEmpty();
        }
    }

    /// <summary>The sink has the message.</summary>
    public void Complete(ChannelMessage message)
    {
        Interlocked.Increment(ref _completed);
        Forget(message);
    }

    /// <summary>Takes the message back, to come again after the delay, behind what waits by then.</summary>
    public ValueTask ReturnAsync(ChannelMessage message, TimeSpan delay)
    {
        Interlocked.Increment(ref _returned);
        bool kept = delay > TimeSpan.Zero ? _delayed.TryAdd(message, delay) : _ready.Writer.TryWrite(message);
        return kept ? default : new ValueTask(SpillAsync([message], CancellationToken.None));
    }

    /// <summary>Writes the message to the dead letters; while that fails, it comes again.</summary>
    public async Task DeadLetterAsync(ChannelMessage message, Settlement settlement)
    {
        string? error = await TryWriteDeadLetterAsync(message, settlement, CancellationToken.None);
        if (error is null)
        {
            return;
        }

        TimeSpan delay = DeadLetterBackoff.After(++message.DeadLetterFailures);
        ChannelLog.DeadLetterFailed(_logger, _route, error, delay);
        await ReturnAsync(message, delay);
    }

    /// <summary>
    /// Ends the queue. What still waits goes to the dead letters as <see cref="UnprocessedReason"/>, to be redriven; what cannot
    /// be written there is lost, counted and logged. A message settled later is dealt with then.
    /// </summary>
    public async Task CloseAsync(CancellationToken cancellationToken)
    {
        Refuse();
        List<ChannelMessage> rest = _delayed.Close();
        _ready.Writer.TryComplete();
        while (_ready.Reader.TryRead(out ChannelMessage? message))
        {
            if (message is not null)
            {
                rest.Add(message);
            }
        }

        if (rest.Count > 0)
        {
            await SpillAsync(rest, cancellationToken);
        }
    }

    // The semaphore stays usable: a message in work may still be settled afterwards.
    public void Dispose() => _delayed.Dispose();

    private async ValueTask PublishWhenRoomAsync(Task room, ReadOnlyMemory<byte> body, string? id)
    {
        await room;
        await Enqueue(body.Span, id);
    }

    private ValueTask Enqueue(ReadOnlySpan<byte> body, string? id)
    {
        // Counted before the flag is read, while Refuse sets the flag before it reads the count: one of the two sees the other,
        // so the last message is never missed.
        Interlocked.Increment(ref _held);
        if (Volatile.Read(ref _refusing))
        {
            FreePlace();
            return ValueTask.FromException(Refused());
        }

        PooledBuffer buffer = _buffers.Rent(body.Length);
        buffer.Append(body);
        if (!_messages.TryTake(out ChannelMessage? message))
        {
            message = new ChannelMessage(this);
        }

        message.Open(buffer, id, _time.GetUtcNow());
        Interlocked.Increment(ref _published);
        if (_ready.Writer.TryWrite(message))
        {
            return default;
        }

        Interlocked.Decrement(ref _published);
        Forget(message);
        return ValueTask.FromException(Refused());
    }

    private void Forget(ChannelMessage message)
    {
        message.Clear();
        _messages.Return(message);
        FreePlace();
    }

    private void FreePlace()
    {
        if (Interlocked.Decrement(ref _held) == 0)
        {
            SignalEmpty();
        }

        _room.Release();
    }

    private void SignalEmpty()
    {
        Interlocked.Exchange(ref _whenEmpty, null)?.TrySetResult();

        // The count is read again, after the flag: a publisher may have come in between, and was then let through or will see the flag.
        if (Volatile.Read(ref _refusing) && Volatile.Read(ref _held) == 0)
        {
            _ready.Writer.TryComplete();
        }
    }

    private async Task SpillAsync(IReadOnlyCollection<ChannelMessage> messages, CancellationToken cancellationToken)
    {
        int spilled = 0;
        int lost = 0;
        string? lastError = null;
        ParallelOptions parallel = new() { MaxDegreeOfParallelism = SpillParallelism, CancellationToken = CancellationToken.None };
        await Parallel.ForEachAsync(messages, parallel, async (message, _) =>
        {
            Settlement settlement = Settlement.DeadLetter(UnprocessedReason, "The worker stopped before the message was worked off; nothing is known against it.");
            string? error = await TryWriteDeadLetterAsync(message, settlement, cancellationToken);
            if (error is null)
            {
                Interlocked.Increment(ref spilled);
                return;
            }

            lastError = error;
            Interlocked.Increment(ref lost);
            Interlocked.Increment(ref _lost);
            Forget(message);
        });
        if (spilled > 0)
        {
            ChannelLog.Spilled(_logger, _route, spilled);
        }

        if (lost > 0)
        {
            ChannelLog.Lost(_logger, _route, lost, lastError!);
        }
    }

    /// <returns>Null when it was written and the message forgotten; else what went wrong, with the message kept.</returns>
    private async ValueTask<string?> TryWriteDeadLetterAsync(ChannelMessage message, Settlement settlement, CancellationToken cancellationToken)
    {
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            DeadLetter letter = SourceDeadLetter.Create(message, settlement, ChannelMessageSource.SourceName, _route, _time.GetUtcNow());
            await _deadLetters.WriteAsync(letter, message.Body, cancellationToken);
        }
        catch (Exception exception)
        {
            // Whatever the store throws, the message must not be given up.
            return $"{exception.GetType().Name}: {exception.Message}";
        }

        Interlocked.Increment(ref _deadLettered);
        Forget(message);
        return null;
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
