using System.Text.Json.Serialization;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>SQS's requests and answers in AWS JSON 1.0, as far as the twins need them.</summary>
internal static class SqsShapes
{
    internal sealed record ReceiveRequest(
        string QueueUrl, int MaxNumberOfMessages, int WaitTimeSeconds, int VisibilityTimeout, string[] MessageSystemAttributeNames);

    internal sealed record ReceiveResponse(Received[]? Messages);

    internal sealed record Received(string MessageId, string ReceiptHandle, string Body);

    internal sealed record DeleteRequest(string QueueUrl, DeleteEntry[] Entries);

    internal sealed record DeleteEntry(string Id, string ReceiptHandle);

    internal sealed record DeleteResponse([property: JsonPropertyName("Failed")] Failed[]? Failures);

    internal sealed record Failed(string Id, string Code);
}
