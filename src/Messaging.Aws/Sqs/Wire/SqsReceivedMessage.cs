using System.Buffers.Text;
using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// A message of an SQS queue; the object is pooled. Its body, group and attributes are slices of the response that it shares with the
/// others of its <see cref="ReceiveBatch"/>, borrowed until <see cref="ReleaseBody"/>. Id and handle are copies: its delete may wait for a
/// batch while the response is reused. Fields marked "registry" are guarded by the lock of the messages in flight.
/// </summary>
internal sealed class SqsReceivedMessage(ISqsMessageOwner? owner) : ReceivedMessage
{
    private static readonly long MaxUnixMs = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds();

    private ReceiveBatch? _batch;
    private ReadOnlyMemory<byte> _body;
    private byte[] _id = new byte[64];
    private int _idLength;
    private byte[] _handle = new byte[512];
    private int _handleLength;
    private TimeSpan? _holdLimit;

    /// <summary>The id as a value: SQS ids are UUIDs; anything else is hashed to one.</summary>
    public Guid Key { get; private set; }

    public override ReadOnlyMemory<byte> Body => _body;

    public override ReadOnlyMemory<byte> SourceId => _id.AsMemory(0, _idLength);

    public override int DeliveryCount => Math.Max(1, ReceiveCount);

    public override DateTimeOffset? EnqueuedAt => SentUnixMs > 0 && SentUnixMs <= MaxUnixMs ? DateTimeOffset.FromUnixTimeMilliseconds(SentUnixMs) : null;

    /// <summary>Only a sent time that is no date, in its own digits.</summary>
    public override string? FindSystemProperty(string name) => name == "enqueued" && SentUnixMs > MaxUnixMs ? $"{SentUnixMs}" : null;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => MessageAttributes.IsEmpty
        ? []
        : [.. MessageAttributes.ToList().Where(a => a.StringValue is not null).Select(a => KeyValuePair.Create(a.Name, a.StringValue!))];

    public override string? FindAttribute(string name) => MessageAttributes.Find(name);

    public override ActivityContext CreationContext => SqsTraceContext.Of(this);

    /// <summary>A visibility timeout can hide it for hours.</summary>
    public override bool CanReturnLate => true;

    /// <summary>The message attributes as JSON, parsed on demand.</summary>
    public SqsMessageAttributes MessageAttributes { get; set; }

    /// <summary>The message group; empty outside FIFO queues (and fair queues, which may have one).</summary>
    public ReadOnlyMemory<byte> GroupId { get; set; }

    /// <summary>The message group as text; null without one.</summary>
    public override string? Group => GroupId.IsEmpty ? null : Encoding.UTF8.GetString(GroupId.Span);

    /// <summary>The deduplication id; empty outside FIFO queues.</summary>
    public ReadOnlyMemory<byte> Deduplication { get; set; }

    public override string? DeduplicationId => Deduplication.IsEmpty ? null : Encoding.UTF8.GetString(Deduplication.Span);

    /// <summary>The X-Ray trace header, ASCII; empty without one.</summary>
    public ReadOnlyMemory<byte> TraceHeader { get; set; }

    /// <summary>How often the message was received, this time included; 0 when the service did not send it.</summary>
    public int ReceiveCount { get; set; }

    /// <summary>When it was sent, in milliseconds since 1970 (UTC); 0 when the service did not send it.</summary>
    public long SentUnixMs { get; set; }

    /// <summary>When it was first received, in milliseconds since 1970 (UTC); 0 when the service did not send it.</summary>
    public long FirstReceiveUnixMs { get; set; }

    /// <summary>The newest handle; an earlier read stays valid until <see cref="Reset"/>. Registry.</summary>
    public ReadOnlyMemory<byte> Handle => _handle.AsMemory(0, _handleLength);

    /// <summary>When it was received last, as a timestamp. Registry.</summary>
    public long ReceivedAt { get; private set; }

    /// <summary>Time from the receive for which it may be held. Set for a group, whose messages in one receive have the same.</summary>
    public TimeSpan HoldLimit
    {
        get => _holdLimit ?? owner!.HoldLimitFor(DeliveryCount);
        set => _holdLimit = value;
    }

    /// <summary>When its invisibility was last set, as a timestamp. Registry.</summary>
    public long RenewedAt { get; set; }

    /// <summary>True once it is no longer renewed: the queue rejects its handle, or its time in flight has ended. Registry.</summary>
    public bool IsLost { get; set; }

    /// <summary>True once it is stored or dead-lettered, so that only its delete is left; written before it is passed to the delete loop.</summary>
    public bool IsDone { get; set; }

    /// <summary>Seconds until the queue redelivers it; set when it is abandoned.</summary>
    public int RedeliveryDelaySeconds { get; set; }

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

    /// <summary>Begins a delivery in a clean object. The message releases the batch; null for none.</summary>
    public void Open(ReceiveBatch? batch, ReadOnlyMemory<byte> body, ReadOnlySpan<byte> id, ReadOnlySpan<byte> handle)
    {
        ResetSettlement();
        _batch = batch;
        _body = body;
        Key = KeyOf(id);
        _idLength = Copy(id, ref _id);
        _handleLength = Copy(handle, ref _handle);
    }

    /// <summary>Sets the times of the receive. Registry.</summary>
    public void SetReceived(long at)
    {
        ReceivedAt = at;
        RenewedAt = at;
    }

    /// <summary>Sets the newer handle of a later receive of the same message. Registry.</summary>
    public void Renew(ReadOnlySpan<byte> handle, long now)
    {
        // A new array: a call may be sending the old one.
        _handle = handle.ToArray();
        _handleLength = handle.Length;
        SetReceived(now);
        IsLost = false;
    }

    /// <summary>Releases the response; id and handle stay. A second call does nothing.</summary>
    public void ReleaseBody()
    {
        _body = default;
        MessageAttributes = default;
        GroupId = default;
        Deduplication = default;
        TraceHeader = default;
        ReceiveBatch? batch = _batch;
        _batch = null;
        batch?.Release();
    }

    /// <summary>Clears a message that is no longer in flight; it releases no response.</summary>
    public void Reset()
    {
        Span = null;
        _batch = null;
        _body = default;
        _idLength = 0;
        _handleLength = 0;
        Key = default;
        MessageAttributes = default;
        GroupId = default;
        Deduplication = default;
        TraceHeader = default;
        ReceiveCount = 0;
        SentUnixMs = 0;
        FirstReceiveUnixMs = 0;
        ReceivedAt = 0;
        _holdLimit = null;
        RenewedAt = 0;
        IsLost = false;
        IsDone = false;
        RedeliveryDelaySeconds = 0;
        AbandonedAt = 0;
        SendFailures = 0;
        NextInGroup = null;
        Slot = default;
    }

    public override TimeSpan TryHold() => owner!.TryHold(this);

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => owner!.SettleAsync(this, settlement);

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

/// <summary>Who received a message, and finishes it at the queue.</summary>
internal interface ISqsMessageOwner
{
    /// <summary>Time from the receive for which a message on this delivery may be held.</summary>
    TimeSpan HoldLimitFor(int deliveryCount);

    /// <summary>How long the message can still be held.</summary>
    TimeSpan TryHold(SqsReceivedMessage message);

    /// <summary>Deletes or abandons it; a later call of the queue may do so.</summary>
    ValueTask SettleAsync(SqsReceivedMessage message, in Settlement settlement);
}
