namespace Messaging.Aws.Sqs.Wire;

/// <summary>One message to send. Its body is a borrow until the call ends.</summary>
/// <param name="Body">
/// UTF-8, not empty. Lone surrogates (WTF-8, as <see cref="SqsMessage.Body"/> has them) are sent as the escapes they came as;
/// bytes that no JSON text can hold are sent as U+FFFD.
/// </param>
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
