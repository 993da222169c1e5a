using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sources.InMemory;

/// <summary>
/// A message that exists only in this process, such as a datagram, a line or a published message. Pooled with the buffer of its body.
/// A source derives its own class, fills it with <see cref="Fill"/> and settles it with <see cref="InMemoryMessages{T}.SettleAsync"/> from
/// <see cref="ReceivedMessage.SettleCoreAsync"/>. Ownership: <see cref="InMemoryMessages{T}"/>, except between <see cref="BeginDelivery"/> and
/// the settlement. Unless the class overrides <see cref="SourceId"/>, the id is derived from the body when it is first read: messages with
/// the same bytes have the same id. Allocates nothing once the pool is warm. Threads: one at a time fills and settles; during a shutdown,
/// the message may be written to the dead letters while the route still reads it.
/// </summary>
internal abstract class InMemoryMessage : ReceivedMessage
{
    // Larger buffers are returned with their message, so that a burst of large messages does not keep its memory.
    private const int LargestKeptBuffer = 4_096;

    private readonly Lock _naming = new();
    private byte[]? _contentId;
    private PooledBuffer? _buffer;
    private bool _isOpen;
    private bool _hasId;

    // A InMemoryStage; Volatile does not support enumerations.
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

    /// <summary>Why the last attempt to write it to the dead letters at a shutdown failed; null without one.</summary>
    internal string? SpillError { get; set; }

    /// <summary>Its neighbour in the list of <see cref="ReadyMessages{T}"/>.</summary>
    internal InMemoryMessage? NextReady { get; set; }

    /// <summary>True while it waits for redelivery.</summary>
    internal bool IsWaiting { get; set; }

    /// <summary>The shutdown has told the sender that the message is not stored.</summary>
    internal bool IsReturnedToSender { get; set; }

    /// <summary>The route dead-lettered the message after the shutdown had taken it.</summary>
    internal bool IsRefusedAfterShutdown { get; set; }

    /// <summary>Its current owner.</summary>
    internal InMemoryStage Stage => (InMemoryStage)Volatile.Read(ref _stage);

    /// <summary>
    /// Begins a delivery: counts it and allows one settlement. A source calls it just before <see cref="SlotLease.Accept(ReceivedMessage)"/>, only for messages
    /// that it does not queue with <see cref="InMemoryMessages{T}.TryPut"/>.
    /// </summary>
    public void BeginDelivery()
    {
        _deliveries++;
        ResetSettlement();
        Volatile.Write(ref _stage, (int)InMemoryStage.InFlight);
    }

    /// <summary>Moves the message from one owner to another.</summary>
    /// <returns>False when it had another owner.</returns>
    internal bool TryMove(InMemoryStage from, InMemoryStage to) => Interlocked.CompareExchange(ref _stage, (int)to, (int)from) == (int)from;

    /// <summary>
    /// Sends the final settlement to the sender, if the protocol has an answer. <see cref="InMemoryMessages{T}"/> calls it once, before
    /// <see cref="Clear"/>, on any thread. Must neither block nor throw.
    /// </summary>
    /// <param name="settlement">The settlement; Abandon means that the worker stops without having stored the message.</param>
    /// <returns>True when the sender gets the answer, so that it is responsible for sending a message again that was not stored.</returns>
    protected internal virtual bool Conclude(in Settlement settlement) => false;

    /// <summary>
    /// Clears every field before the object returns to the pool; overrides call the base. The message stays settled until its next delivery, so that a second
    /// settlement throws.
    /// </summary>
    protected internal virtual void Clear()
    {
        _isOpen = false;
        _hasId = false;
        IsReturnedToSender = false;
        IsRefusedAfterShutdown = false;
        _deliveries = 0;
        _enqueuedAt = default;
        Volatile.Write(ref _stage, (int)InMemoryStage.Kept);
        DeadLetterFailures = 0;
        SpillError = null;
        if (_buffer is { Capacity: > LargestKeptBuffer })
        {
            Release();
        }
    }

    /// <summary>Returns the buffer of an empty message; the next <see cref="Fill"/> rents another.</summary>
    protected internal void Release()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>Fills an empty message with a copy of <paramref name="body"/>.</summary>
    /// <param name="body">The bytes; may be empty. Borrowed for the call.</param>
    /// <param name="buffers">The pool for the buffer.</param>
    /// <param name="now">The time of the receive.</param>
    protected void Fill(ReadOnlySpan<byte> body, BufferPool buffers, DateTimeOffset now)
    {
        _buffer ??= buffers.Rent(body.Length);
        _buffer.Truncate(0);
        _buffer.Append(body);
        _isOpen = true;
        _enqueuedAt = now;
    }
}

/// <summary>The owner of a <see cref="InMemoryMessage"/>. Moves are atomic, so that a settlement and a concurrent shutdown agree on the owner.</summary>
internal enum InMemoryStage
{
    /// <summary>Being filled, queued, or idle in the pool: <see cref="InMemoryMessages{T}"/> owns it alone.</summary>
    Kept = 0,

    /// <summary>The route owns it.</summary>
    InFlight,

    /// <summary>The route has settled it, and the settlement is being carried out.</summary>
    Settling,

    /// <summary>The shutdown writes it to the dead letters, while the route may still read it.</summary>
    Spilling,

    /// <summary>The shutdown is done with it, the route is not.</summary>
    Spilled,

    /// <summary>The route is done with it, the shutdown is not.</summary>
    SettledLate,
}
