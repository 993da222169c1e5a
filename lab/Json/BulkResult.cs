using System.Text.Json.Serialization;

namespace Lab.Json;

public sealed record BulkResult([property: JsonPropertyName("_id")] string Id, [property: JsonPropertyName("status")] int Status);
