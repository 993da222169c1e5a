namespace Quayside.Messaging.Aws.Sqs.Wire;

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

    private const int MaxAttributeName = 256;

    // SQS counts from its own receive to the arrival of the change: an answer may take 5 s to arrive (ReceiveGrace), a change 10 s (CallTimeout).
    private const int MarginSeconds = 15;

    /// <summary>Says why SQS refuses a message attribute of the type String; null when it takes it.</summary>
    public static string? FindAttributeProblem(string name, string value) =>
        name.Length is 0 or > MaxAttributeName
            || !name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.')
            || name.StartsWith('.')
            || name.EndsWith('.')
            || name.Contains("..", StringComparison.Ordinal)
            ? $"its name must have 1 to {MaxAttributeName} of A-Z a-z 0-9 _ - ., with single dots inside"
        : name.StartsWith("AWS.", StringComparison.OrdinalIgnoreCase) || name.StartsWith("Amazon.", StringComparison.OrdinalIgnoreCase)
        ? "SQS keeps names that begin with AWS. or Amazon. for itself"
        : value.Length == 0 ? "SQS takes no empty values"
        : null;

    /// <summary>
    /// The longest visibility timeout of a message that was received <paramref name="age"/> ago. SQS refuses a longer one instead of cutting it.
    /// </summary>
    public static int VisibilityLeft(TimeSpan age) => Math.Max(0, VisibilitySeconds - MarginSeconds - (int)Math.Ceiling(age.TotalSeconds));
}
