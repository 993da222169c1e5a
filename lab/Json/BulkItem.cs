using System.Text.Json.Serialization;

namespace Lab.Json;

public sealed record BulkItem([property: JsonPropertyName("index")] BulkResult Index);
