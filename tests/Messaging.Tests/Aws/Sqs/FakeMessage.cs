using System.Text.Json;
using System.Text.Json.Nodes;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>One message of a receive answer.</summary>
/// <param name="Id">Its id; normally a UUID, like the service's.</param>
/// <param name="Handle">The receipt handle of this delivery.</param>
internal sealed record FakeMessage(string Id, string Handle)
{
    public string Body { get; init; } = "{}";

    public int ReceiveCount { get; init; } = 1;

    /// <summary>When it was sent, in milliseconds since 1970.</summary>
    public long SentUnixMs { get; init; } = 1_792_000_000_123;

    public string? Group { get; init; }

    /// <summary>The X-Ray header; null for none.</summary>
    public string? TraceHeader { get; init; }

    /// <summary>The message attributes in the service's format; null for none.</summary>
    public JsonObject? Attributes { get; init; }

    /// <summary>A message with a new id, and a handle that identifies it in failures.</summary>
    public static FakeMessage New(string name, string? group = null) =>
        new(Guid.NewGuid().ToString(), $"handle-{name}") { Body = $"\"{name}\"", Group = group };

    /// <summary><paramref name="count"/> messages with handles from <c>handle-0</c> on.</summary>
    public static FakeMessage[] Many(int count) => [.. Enumerable.Range(0, count).Select(number => New($"{number}"))];

    /// <summary>A redelivery of the same message.</summary>
    public FakeMessage Again(string handle) => this with { Handle = handle, ReceiveCount = ReceiveCount + 1 };

    public JsonObject ToJson()
    {
        JsonObject system = new()
        {
            ["ApproximateReceiveCount"] = $"{ReceiveCount}",
            ["SentTimestamp"] = $"{SentUnixMs}",
            ["ApproximateFirstReceiveTimestamp"] = "1792000001456",
        };
        if (Group is not null)
        {
            system["MessageGroupId"] = Group;
        }

        if (TraceHeader is not null)
        {
            system["AWSTraceHeader"] = TraceHeader;
        }

        JsonObject message = new() { ["MessageId"] = Id, ["ReceiptHandle"] = Handle, ["Body"] = Body, ["Attributes"] = system };
        if (Attributes is not null)
        {
            message["MessageAttributes"] = Attributes.DeepClone();
        }

        return message;
    }

    public override string ToString() => JsonSerializer.Serialize(ToJson());
}
