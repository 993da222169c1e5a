using System.Text.Json.Nodes;

namespace Integration.Tests.Servers;

/// <param name="ReceiveCount">1 at the first receive.</param>
/// <param name="Attributes">The sender's message attributes, string values only.</param>
internal sealed record SqsMessage(string Id, string Body, string ReceiptHandle, int ReceiveCount, IReadOnlyDictionary<string, string> Attributes)
{
    public static SqsMessage Parse(JsonNode node) => new(
        node["MessageId"]!.GetValue<string>(),
        node["Body"]!.GetValue<string>(),
        node["ReceiptHandle"]!.GetValue<string>(),
        int.Parse(node["Attributes"]!["ApproximateReceiveCount"]!.GetValue<string>()),
        (node["MessageAttributes"]?.AsObject() ?? []).ToDictionary(
            attribute => attribute.Key, attribute => attribute.Value!["StringValue"]?.GetValue<string>() ?? "", StringComparer.Ordinal));
}
