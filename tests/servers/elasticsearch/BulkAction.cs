namespace ElasticsearchServer;

/// <summary>One operation of a bulk request.</summary>
/// <param name="Action">create, index, update or delete.</param>
/// <param name="Index">The index.</param>
/// <param name="Id">The document's id; null to generate one.</param>
/// <param name="Source">The line after the action; empty for delete.</param>
internal sealed record BulkAction(string Action, string Index, string? Id, ReadOnlyMemory<byte> Source);
