using System.Text;
using Pipeline.Buffers;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Worker.Sources.Channels;

/// <summary>
/// A message of a <see cref="ChannelQueue"/>; the object and its body are pooled. Ownership: the queue, except between
/// <see cref="BeginDelivery"/> and the settlement. 0 B a message once the pool is warm.
/// </summary>
internal sealed class ChannelMessage(ChannelQueue queue) : ReceivedMessage
{
    /// <summary>The longest id, in bytes of UTF-8.</summary>
    public const int MaxIdBytes = 256;

    // A formatted UUID; a longer id makes the array grow once and stay.
    private const int UuidLength = 36;

    private byte[] _id = new byte[UuidLength];
    private int _idLength;
    private PooledBuffer? _body;
    private int _deliveries;
    private DateTimeOffset _enqueuedAt;

    public override ReadOnlyMemory<byte> Body => (_body ?? throw new ObjectDisposedException(nameof(ChannelMessage))).WrittenMemory;

    public override ReadOnlyMemory<byte> SourceId => _id.AsMemory(0, _idLength);

    public override int DeliveryCount => _deliveries;

    public override DateTimeOffset? EnqueuedAt => _enqueuedAt;

    /// <summary>Failed attempts to write this message to the dead letters.</summary>
    public int DeadLetterFailures { get; set; }

    /// <summary>Fills a clean message.</summary>
    /// <param name="body">Becomes the message's.</param>
    /// <param name="id">A checked id, or null for a new one.</param>
    /// <param name="now">When it was published.</param>
    public void Open(PooledBuffer body, string? id, DateTimeOffset now)
    {
        _body = body;
        _enqueuedAt = now;
        if (id is null)
        {
            Guid.CreateVersion7(now).TryFormat(_id, out _idLength);
        }
        else
        {
            int length = Encoding.UTF8.GetByteCount(id);
            if (_id.Length < length)
            {
                _id = new byte[MaxIdBytes];
            }

            _idLength = Encoding.UTF8.GetBytes(id, _id);
        }
    }

    /// <summary>Makes the message ready to be handed out (again).</summary>
    public void BeginDelivery()
    {
        _deliveries++;
        ResetSettlement();
    }

    /// <summary>Gives the body back and clears every field. It stays settled until its next delivery, so a second settlement still throws.</summary>
    public void Clear()
    {
        _body?.Dispose();
        _body = null;
        _idLength = 0;
        _deliveries = 0;
        _enqueuedAt = default;
        DeadLetterFailures = 0;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                queue.Complete(this);
                return default;
            case SettlementKind.DeadLetter:
                // The token ends the waiting only: the write goes on, and keeps the body until it is done.
                return new ValueTask(queue.DeadLetterAsync(this, settlement).WaitAsync(cancellationToken));
            default:
                return queue.ReturnAsync(this, settlement.Delay);
        }
    }
}
