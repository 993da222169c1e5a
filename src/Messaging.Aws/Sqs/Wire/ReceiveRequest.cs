namespace Messaging.Aws.Sqs.Wire;

/// <summary>The parameters of one receive call.</summary>
/// <param name="QueueUrl">The queue's URL, as the service returned it.</param>
/// <param name="WaitSeconds">0 to 20; how long the service waits for a first message.</param>
/// <param name="VisibilitySeconds">0 to 43,200; how long the messages are hidden from others.</param>
internal readonly record struct ReceiveRequest(string QueueUrl, int WaitSeconds, int VisibilitySeconds);

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
