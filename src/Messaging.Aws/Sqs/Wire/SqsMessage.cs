using System.Text;

namespace Messaging.Aws.Sqs.Wire;

/// <summary>
/// One received message: slices of the buffer it shares with the others of its <see cref="ReceiveBatch"/>. Ownership: the slices are
/// borrowed until <see cref="Release"/>, which the last owner of the message calls once. Copies of the struct are the same message.
/// Threads: any; different messages may be released concurrently.
/// </summary>
internal readonly struct SqsMessage
{
    private readonly ReceiveBatch? _batch;
    private readonly int _generation;
    private readonly int _index;

    public SqsMessage(ReceiveBatch batch, int generation, int index)
    {
        _batch = batch;
        _generation = generation;
        _index = index;
    }

    /// <summary>The body, unescaped; UTF-8 unless <see cref="Flags"/> says otherwise.</summary>
    public required ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>The receipt handle, ASCII; never empty. Every receive gives a new one; only the newest is sure to work.</summary>
    public required ReadOnlyMemory<byte> ReceiptHandle { get; init; }

    /// <summary>The service's id, ASCII, the same on every receive; never empty.</summary>
    public required ReadOnlyMemory<byte> MessageId { get; init; }

    /// <summary>32 lower-case hex digits; empty when the service sent none.</summary>
    public required ReadOnlyMemory<byte> Md5OfBody { get; init; }

    /// <summary>The message group; empty outside FIFO queues (and fair queues, which may have one).</summary>
    public required ReadOnlyMemory<byte> GroupId { get; init; }

    /// <summary>The message group as text; null without one.</summary>
    public string? Group => GroupId.IsEmpty ? null : Encoding.UTF8.GetString(GroupId.Span);

    /// <summary>The deduplication id; empty outside FIFO queues.</summary>
    public required ReadOnlyMemory<byte> DeduplicationId { get; init; }

    /// <summary>The X-Ray trace header, ASCII; empty without one.</summary>
    public required ReadOnlyMemory<byte> TraceHeader { get; init; }

    /// <summary>How often the message was received, this time included; 0 when the service did not send it.</summary>
    public required int ReceiveCount { get; init; }

    /// <summary>When it was sent, in milliseconds since 1970 (UTC); 0 when the service did not send it.</summary>
    public required long SentUnixMs { get; init; }

    /// <summary>When it was first received, in milliseconds since 1970 (UTC); 0 when the service did not send it.</summary>
    public required long FirstReceiveUnixMs { get; init; }

    /// <summary>The message attributes as JSON, parsed on demand.</summary>
    public required SqsMessageAttributes Attributes { get; init; }

    public required SqsMessageFlags Flags { get; init; }

    /// <summary>Releases the slices; the last message of a batch returns the buffer.</summary>
    /// <returns>False when this message was released before.</returns>
    public bool Release() => _batch?.Release(_index, _generation) ?? false;
}

/// <summary>What is wrong with a received body.</summary>
[Flags]
internal enum SqsMessageFlags
{
    /// <summary>Nothing: the body is valid UTF-8 and, if it was checked, matches its MD5.</summary>
    None = 0,

    /// <summary>The body is not UTF-8: lone surrogates (as WTF-8) or bytes the service should not have sent. Poison: no retry helps.</summary>
    InvalidText = 1,

    /// <summary>The body does not match the service's MD5: damaged in transit. A redelivery may be intact.</summary>
    Md5Mismatch = 2,
}
