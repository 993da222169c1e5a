namespace Messaging.Aws.Sqs.Wire;

/// <summary>Limits of the SQS API. Source: "Amazon SQS message quotas" and the API reference.</summary>
internal static class SqsLimits
{
    /// <summary>Entries of a batch call and messages of a receive call.</summary>
    public const int BatchEntries = 10;

    /// <summary>Bytes of one message, and of all messages of one SendMessageBatch: bodies and attributes (1 MiB since August 2025).</summary>
    public const int MessageBytes = 1_048_576;

    /// <summary>Message attributes of one message.</summary>
    public const int MessageAttributes = 10;

    /// <summary>Seconds of one long poll.</summary>
    public const int WaitSeconds = 20;

    /// <summary>Seconds of a visibility timeout (12 hours, counted from the receive).</summary>
    public const int VisibilitySeconds = 43_200;

    // SQS counts from its own receive to the arrival of the change: an answer may take 5 s to arrive (ReceiveGrace), a change 10 s (CallTimeout).
    private const int MarginSeconds = 15;

    /// <summary>The longest visibility timeout of a message that was received <paramref name="age"/> ago. SQS refuses a longer one instead of cutting it.</summary>
    public static int VisibilityLeft(TimeSpan age) => Math.Max(0, VisibilitySeconds - MarginSeconds - (int)Math.Ceiling(age.TotalSeconds));
}
