using System.Globalization;
using System.Text.Json;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>The attributes of a queue that the worker uses.</summary>
/// <param name="Arn">The queue's ARN; null when the service did not send it.</param>
/// <param name="VisibilitySeconds">The queue's default visibility timeout.</param>
/// <param name="Messages">Messages waiting, approximately.</param>
/// <param name="MessagesInFlight">Messages received and neither deleted nor visible again, approximately.</param>
/// <param name="IsFifo">True for a FIFO queue.</param>
/// <param name="DeadLetterTargetArn">Where the service moves messages received too often; null without a redrive policy.</param>
/// <param name="MaxReceiveCount">The number of receives after which it moves them; 0 without a redrive policy.</param>
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

/// <summary>Reads a GetQueueAttributes response.</summary>
internal static class QueueAttributesReader
{
    /// <summary>Attributes that are missing count as 0, false or null.</summary>
    /// <exception cref="JsonException">The response has another form.</exception>
    /// <exception cref="InvalidOperationException">Likewise.</exception>
    public static QueueAttributes Read(JsonElement root)
    {
        if (!root.TryGetProperty("Attributes", out JsonElement attributes))
        {
            attributes = root;
        }

        string? deadLetterTarget = null;
        int maxReceiveCount = 0;
        if (Text(attributes, "RedrivePolicy") is { Length: > 0 } policyText)
        {
            using JsonDocument policy = JsonDocument.Parse(policyText);
            deadLetterTarget = Text(policy.RootElement, "deadLetterTargetArn");
            maxReceiveCount = (int)Number(policy.RootElement, "maxReceiveCount");
        }

        return new QueueAttributes(
            Text(attributes, "QueueArn"),
            (int)Number(attributes, "VisibilityTimeout"),
            Number(attributes, "ApproximateNumberOfMessages"),
            Number(attributes, "ApproximateNumberOfMessagesNotVisible"),
            string.Equals(Text(attributes, "FifoQueue"), "true", StringComparison.OrdinalIgnoreCase),
            deadLetterTarget,
            maxReceiveCount)
        {
            MessagesDelayed = Number(attributes, "ApproximateNumberOfMessagesDelayed"),
        };
    }

    // The service sends numbers as strings, but maxReceiveCount as it was set: as a string or a number.
    private static string? Text(JsonElement parent, string name) =>
        parent.TryGetProperty(name, out JsonElement value)
            ? value.ValueKind is JsonValueKind.String ? value.GetString() : value.GetRawText()
            : null;

    private static long Number(JsonElement parent, string name) =>
        long.TryParse(Text(parent, name), NumberStyles.Integer, CultureInfo.InvariantCulture, out long number) ? number : 0;
}
