namespace Worker.Sources.Sqs;

/// <summary>The queues as the service knows them.</summary>
/// <param name="Url">The queue's URL.</param>
/// <param name="DeadLetterUrl">The dead-letter queue's URL.</param>
/// <param name="IsFifo">True for a FIFO queue; its dead-letter queue is one too.</param>
internal sealed record SqsQueues(string Url, string DeadLetterUrl, bool IsFifo);
