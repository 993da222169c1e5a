using Pipeline.Buffers;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Sources.Held;

/// <summary>
/// A message that exists nowhere but in this process: a datagram, a line, one that was published here. Pooled, with its body's
/// buffer. Ownership: <see cref="HeldMessages{T}"/>, except between <see cref="BeginDelivery"/> and the settlement. Where it has no id
/// of its own it is made from the content, and only when it is asked for. 0 B per message once the pool is warm. Threads: while a
/// stop writes a message in flight to the dead letters, the route may read it too.
/// </summary>
internal abstract class HeldMessage : ReceivedMessage
{
    // A buffer up to this size stays with the object; a larger one goes back with its message, so that one burst of large
    // messages is not kept for ever.
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

    public override ReadOnlyMemory<byte> Body => (_isOpen ? _buffer : null)?.WrittenMemory ?? throw new ObjectDisposedException(GetType().Name);

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

    public override int DeliveryCount => _deliveries;

    public override DateTimeOffset? EnqueuedAt => _enqueuedAt;

    /// <summary>Failed attempts to write this message to the dead letters.</summary>
    public int DeadLetterFailures { get; set; }

    /// <summary>True while it waits for another attempt.</summary>
    public bool IsWaiting { get; set; }

    /// <summary>Who holds it.</summary>
    public HeldStage Stage => (HeldStage)Volatile.Read(ref _stage);

    /// <summary>Makes the message ready to be handed out (again).</summary>
    public void BeginDelivery()
    {
        _deliveries++;
        ResetSettlement();
        Volatile.Write(ref _stage, (int)HeldStage.InFlight);
    }

    /// <summary>Takes the message from one holder for another.</summary>
    /// <returns>False when another holder had it.</returns>
    public bool TryMove(HeldStage from, HeldStage to) => Interlocked.CompareExchange(ref _stage, (int)to, (int)from) == (int)from;

    /// <summary>Tells the sender what became of the message, where it can be told. Called once, before <see cref="Clear"/>.</summary>
    /// <param name="settlement">The settlement; an abandonment here means that the worker stops without having stored the message.</param>
    /// <returns>True when the sender was told, and so is answerable for what was not stored.</returns>
    public virtual bool Conclude(in Settlement settlement) => false;

    /// <summary>Clears every field. It stays settled until its next delivery, so a second settlement still throws.</summary>
    public virtual void Clear()
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

    /// <summary>Gives the buffer back; the object is clean and will not be used again, or a new buffer is rented.</summary>
    public void Release()
    {
        _buffer?.Dispose();
        _buffer = null;
    }

    /// <summary>Fills a clean message with a copy of <paramref name="body"/>.</summary>
    protected void Fill(ReadOnlySpan<byte> body, BufferPool buffers, DateTimeOffset now)
    {
        _buffer ??= buffers.Rent(body.Length);
        _buffer.Truncate(0);
        _buffer.Append(body);
        _isOpen = true;
        _enqueuedAt = now;
    }
}
