using System.Buffers.Text;
using System.Diagnostics;
using System.Security.Cryptography;
using Messaging.Aws.Sqs.Wire;
using Messaging.Sources;
using Pipeline.Messages;
using Pipeline.Settlements;

namespace Messaging.Aws.Sqs;

/// <summary>
/// A message of an SQS queue; the object is pooled. It keeps copies of its id and handle, so that settling frees the receive buffer that it
/// shares with others, while its delete may still wait for a batch. Fields marked "registry" are guarded by the lock of
/// <see cref="InFlightMessages"/>.
/// </summary>
internal sealed class SqsReceivedMessage(SqsMessageSource source) : ReceivedMessage
{
    private SqsMessage _wire;
    private byte[] _id = new byte[64];
    private int _idLength;
    private byte[] _handle = new byte[512];
    private int _handleLength;

    /// <summary>The id as a value: SQS ids are UUIDs; anything else is hashed to one.</summary>
    public Guid Key { get; private set; }

    public override ReadOnlyMemory<byte> Body => _wire.Body;

    public override ReadOnlyMemory<byte> SourceId => _id.AsMemory(0, _idLength);

    public override int DeliveryCount => Math.Max(1, _wire.ReceiveCount);

    public override DateTimeOffset? EnqueuedAt => _wire.SentUnixMs > 0 ? DateTimeOffset.FromUnixTimeMilliseconds(_wire.SentUnixMs) : null;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => _wire.Attributes.IsEmpty
        ? []
        : [.. _wire.Attributes.ToList().Where(a => a.StringValue is not null).Select(a => KeyValuePair.Create(a.Name, a.StringValue!))];

    public override ActivityContext CreationContext => SqsTraceContext.Of(_wire);

    /// <summary>A visibility timeout can hide it for hours.</summary>
    public override bool CanReturnLate => true;

    /// <summary>The message as received; valid until it is settled.</summary>
    public ref readonly SqsMessage Wire => ref _wire;

    /// <summary>The newest handle; an earlier read stays valid until <see cref="Reset"/>. Registry.</summary>
    public ReadOnlyMemory<byte> Handle => _handle.AsMemory(0, _handleLength);

    /// <summary>When it was received last, as a timestamp. Registry.</summary>
    public long ReceivedAt { get; set; }

    /// <summary>Time from the receive for which it may be held; the same for all messages of a group in one receive.</summary>
    public TimeSpan HoldLimit { get; set; }

    /// <summary>When its invisibility was last set, as a timestamp. Registry.</summary>
    public long RenewedAt { get; set; }

    /// <summary>True once it is no longer renewed: the queue rejects its handle, or its time in flight has ended. Registry.</summary>
    public bool IsLost { get; set; }

    /// <summary>True once it is stored or dead-lettered, so that only its delete is left; written before it is passed to the delete loop.</summary>
    public bool IsDone { get; set; }

    /// <summary>Seconds until the queue redelivers it; set when it is abandoned.</summary>
    public int ReturnDelaySeconds { get; set; }

    /// <summary>When it was abandoned, as a timestamp.</summary>
    public long AbandonedAt { get; set; }

    /// <summary>Failed attempts to delete or abandon it.</summary>
    public int SendFailures { get; set; }

    /// <summary>FIFO: the message of the same group that must wait for this one; it holds a reserved slot.</summary>
    public SqsReceivedMessage? NextInGroup { get; set; }

    /// <summary>The slot of a follower of a group, until it is accepted.</summary>
    public SlotLease Slot { get; set; }

    public static Guid KeyOf(ReadOnlySpan<byte> id)
    {
        if (Utf8Parser.TryParse(id, out Guid key, out int consumed) && consumed == id.Length)
        {
            return key;
        }

        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(id, hash);
        return new Guid(hash[..16]);
    }

    /// <summary>Fills a clean object, which from now on releases the wire message.</summary>
    public void Open(in SqsMessage wire, Guid key, long now)
    {
        ResetSettlement();
        _wire = wire;
        Key = key;
        ReceivedAt = now;
        RenewedAt = now;
        _idLength = Copy(wire.MessageId.Span, ref _id);
        _handleLength = Copy(wire.ReceiptHandle.Span, ref _handle);
    }

    /// <summary>Sets the newer handle of a later receive of the same message. Registry.</summary>
    public void Renew(ReadOnlySpan<byte> handle, long now)
    {
        // A new array: a call may be sending the old one.
        _handle = handle.ToArray();
        _handleLength = handle.Length;
        ReceivedAt = now;
        RenewedAt = now;
        IsLost = false;
    }

    /// <summary>Releases the body; id and handle stay.</summary>
    public void ReleaseBody()
    {
        _wire.Release();
        _wire = default;
    }

    public void Reset()
    {
        Span = null;
        _wire = default;
        _idLength = 0;
        _handleLength = 0;
        Key = default;
        ReceivedAt = 0;
        HoldLimit = TimeSpan.Zero;
        RenewedAt = 0;
        IsLost = false;
        IsDone = false;
        ReturnDelaySeconds = 0;
        AbandonedAt = 0;
        SendFailures = 0;
        NextInGroup = null;
        Slot = default;
    }

    public override TimeSpan GetHoldTime() => source.GetHoldTime(this);

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => source.SettleAsync(this, settlement);

    private static int Copy(ReadOnlySpan<byte> from, ref byte[] to)
    {
        if (to.Length < from.Length)
        {
            to = new byte[from.Length];
        }

        from.CopyTo(to);
        return from.Length;
    }
}
