using System.Text.Json;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>A call as it arrived at the <see cref="FakeQueue"/>.</summary>
/// <param name="Operation">The action, such as <c>DeleteMessageBatch</c>.</param>
/// <param name="Json">The request.</param>
internal sealed record QueueCall(string Operation, JsonElement Json)
{
    /// <summary>The receipt handles of a batch call, in order.</summary>
    public string[] Handles => [.. Json.GetProperty("Entries").EnumerateArray().Select(entry => entry.GetProperty("ReceiptHandle").GetString()!)];

    /// <summary>The visibility timeouts of a batch call, in order.</summary>
    public int[] Seconds => [.. Json.GetProperty("Entries").EnumerateArray().Select(entry => entry.GetProperty("VisibilityTimeout").GetInt32())];

    public string Text(string property) => Json.GetProperty(property).GetString()!;

    /// <summary>The string value of a sent message attribute; null when there is no such attribute.</summary>
    public string? Attribute(string name) =>
        Json.TryGetProperty("MessageAttributes", out JsonElement attributes) && attributes.TryGetProperty(name, out JsonElement attribute)
            ? attribute.GetProperty("StringValue").GetString()
            : null;
}
