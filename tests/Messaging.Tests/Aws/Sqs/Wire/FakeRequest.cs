using System.Text.Json;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>A request as received.</summary>
internal sealed record FakeRequest(string Method, string Target, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    public JsonElement Json => JsonDocument.Parse(Body).RootElement;
}
