using Pipeline.Buffers;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Sources.Held;

/// <summary>
/// A message that exists only in this process: a datagram, a line, one that was published here. Pooled with the buffer of its body.
/// A source derives its own class, fills it with <see cref="Fill"/> and settles it with <see cref="HeldMessages{T}.SettleAsync"/> from
/// <see cref="ReceivedMessage.SettleCoreAsync"/>. Ownership: <see cref="HeldMessages{T}"/>, except between <see cref="BeginDelivery"/> and
/// the settlement. The id is made from the content, when it is first read, unless the class overrides <see cref="SourceId"/>: messages with
/// the same bytes have the same id. 0 B per message once the pool is warm. Threads: one at a time fills and settles; the dead letters may
/// read the message at a stop while the route still reads it.
/// </summary>
public abstract class HeldMessage : ReceivedMessage
{
    // A buffer up to this size stays with the object; a larger one is returned with its message, so that a burst of large
    // messages does not keep its memory.
    private const int LargestKeptBuffer = 4_096;

    private readonly Lock _naming = new();
    private byte[]? _contentId;
    private PooledBuffer? _buffer;
    private bool _isOpen;
    private bool _hasId;

    // A HeldStage: Volatile takes no enumerations.
    private int _stage;
    private int _deliveries;
    private DateTimeOffset _enqueuedAt;

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Body => (_isOpen ? _buffer : null)?.WrittenMemory ?? throw new ObjectDisposedException(GetType().Name);

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> SourceId
    {
        get
        {
            lock (_naming)
            {
                if (!_hasId)
                {
                    ContentId.Write(Body.Span, _contentId ??= new byte[ContentId.Length]);
                    _hasId = true;
                }

                return _contentId;
            }
        }
    }

    /// <inheritdoc/>
    public override int DeliveryCount => _deliveries;

    /// <inheritdoc/>
    public override DateTimeOffset? EnqueuedAt => _enqueuedAt;

    /// <summary>Failed attempts to write this message to the dead letters.</summary>
    internal int DeadLetterFailures { get; set; }

    /// <summary>True while it waits for another attempt.</summary>
    internal bool IsWaiting { get; set; }

    /// <summary>Who holds it.</summary>
    internal HeldStage Stage => (HeldStage)Volatile.Read(ref _stage);

    /// <summary>Begins a delivery: counts it and allows one settlement. Called by the source just before <see cref="IMessageIntake.Accept"/>, only for messages that do not pass through <see cref="HeldMessages{T}.TryPut"/>.</summary>
    public void BeginDelivery()
    {
        _deliveries++;
        ResetSettlement();
        Volatile.Write(ref _stage, (int)HeldStage.InFlight);
    }

    /// <summary>Takes the message from one holder for another.</summary>
    /// <returns>False when another holder had it.</returns>
    internal bool TryMove(HeldStage from, HeldStage to) => Interlocked.CompareExchange(ref _stage, (int)to, (int)from) == (int)from;

    /// <summary>
    /// Tells the sender the final settlement, where the protocol has an answer. <see cref="HeldMessages{T}"/> calls it once, before
    /// <see cref="Clear"/>, on any thread. Must neither block nor throw.
    /// </summary>
    /// <param name="settlement">The settlement; an abandonment here means that the worker stops without having stored the message.</param>
    /// <returns>True when the sender was told, so that a message which was not stored remains the sender's to send again.</returns>
    protected internal virtual bool Conclude(in Settlement settlement) => false;

    /// <summary>Clears every field, before the object returns to the pool; overrides call the base. The message stays settled until its next delivery, so that a second settlement still throws.</summary>
    protected internal virtual void Clear()
    {
        _isOpen = false;
        _hasId = false;
        _deliveries = 0;
        _enqueuedAt = default;
        Volatile.Write(ref _stage, (int)HeldStage.Kept);
        DeadLetterFailures = 0;
        if (_buffer is { Capacity: > LargestKeptBuffer })
        {
            Release();
        }
    }

    /// <summary>Returns the buffer of a clean message; the next <see cref="Fill"/> rents another.</summary>
    protected internal void Release()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>Fills a clean message with a copy of <paramref name="body"/>.</summary>
    /// <param name="body">The bytes; may be empty. A borrow of this call.</param>
    /// <param name="buffers">Where the buffer is rented.</param>
    /// <param name="now">When the message was received.</param>
    protected void Fill(ReadOnlySpan<byte> body, BufferPool buffers, DateTimeOffset now)
    {
        _buffer ??= buffers.Rent(body.Length);
        _buffer.Truncate(0);
        _buffer.Append(body);
        _isOpen = true;
        _enqueuedAt = now;
    }
}
