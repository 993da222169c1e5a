using System.Text.Json.Serialization;

namespace Benchmarks.Json;

public sealed record BulkItem([property: JsonPropertyName("index")] BulkResult Index);
