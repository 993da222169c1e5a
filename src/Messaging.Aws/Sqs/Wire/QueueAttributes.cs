namespace Messaging.Aws.Sqs.Wire;

/// <summary>What the worker wants to know about a queue.</summary>
/// <param name="Arn">The queue's ARN; null when the service did not say.</param>
/// <param name="VisibilitySeconds">The queue's default visibility timeout.</param>
/// <param name="Messages">Messages waiting, approximately.</param>
/// <param name="MessagesInFlight">Messages received and neither deleted nor visible again, approximately.</param>
/// <param name="IsFifo">True for a FIFO queue.</param>
/// <param name="DeadLetterTargetArn">Where the service moves messages received too often; null without a redrive policy.</param>
/// <param name="MaxReceiveCount">After how many receives it does; 0 without a redrive policy.</param>
internal sealed record QueueAttributes(
    string? Arn,
    int VisibilitySeconds,
    long Messages,
    long MessagesInFlight,
    bool IsFifo,
    string? DeadLetterTargetArn,
    int MaxReceiveCount)
{
    /// <summary>Messages sent with a delay that has not ended, approximately.</summary>
    public long MessagesDelayed { get; init; }
}
