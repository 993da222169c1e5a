using System.Text.Json.Serialization;

namespace Lab.Json;

/// <summary>Elasticsearch's response to a bulk request, reduced to what the failed ids need.</summary>
public sealed record BulkResponse([property: JsonPropertyName("errors")] bool Errors, [property: JsonPropertyName("items")] IReadOnlyList<BulkItem> Items)
{
    public List<string> FailedIds() => [.. Items.Where(item => item.Index.Status >= 300).Select(item => item.Index.Id)];
}
