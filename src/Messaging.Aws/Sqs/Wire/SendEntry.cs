namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>One message to send. Its body is borrowed until the call ends.</summary>
/// <param name="Body">UTF-8, not empty; invalid bytes are sent as U+FFFD.</param>
/// <param name="Attributes">At most 10; null for none.</param>
/// <param name="GroupId">FIFO queues need one.</param>
/// <param name="DeduplicationId">FIFO queues without content-based deduplication need one.</param>
/// <param name="DelaySeconds">0 to 900; null for the queue's own delay. FIFO queues allow none.</param>
internal readonly record struct SendEntry(
    ReadOnlyMemory<byte> Body,
    IReadOnlyList<SqsMessageAttribute>? Attributes = null,
    string? GroupId = null,
    string? DeduplicationId = null,
    int? DelaySeconds = null);

/// <summary>One entry of a visibility change.</summary>
/// <param name="ReceiptHandle">The newest handle of the message; borrowed until the call ends.</param>
/// <param name="VisibilitySeconds">0 to 43,200 from now; 0 makes the message visible immediately.</param>
internal readonly record struct VisibilityChange(ReadOnlyMemory<byte> ReceiptHandle, int VisibilitySeconds);
