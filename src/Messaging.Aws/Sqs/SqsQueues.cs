namespace Messaging.Aws.Sqs;

/// <summary>The queues as the service knows them.</summary>
/// <param name="Url">The queue's URL.</param>
/// <param name="DeadLetterUrl">The dead-letter queue's URL.</param>
/// <param name="IsFifo">True for a FIFO queue; its dead-letter queue is one too.</param>
/// <param name="MaxReceiveCount">Deliveries after which SQS moves a message to the dead-letter queue; 0 without a redrive policy.</param>
internal sealed record SqsQueues(string Url, string DeadLetterUrl, bool IsFifo, int MaxReceiveCount);
