using System.Text.Json.Serialization;

namespace Benchmarks.Json;

public sealed record BulkResult([property: JsonPropertyName("_id")] string Id, [property: JsonPropertyName("status")] int Status);
