namespace ElasticsearchServer;

/// <summary>One operation of a bulk request.</summary>
/// <param name="Action">create, index, update or delete.</param>
/// <param name="Index">Where.</param>
/// <param name="Id">Which; null to have one made.</param>
/// <param name="Source">The line behind the action's; empty for delete.</param>
internal sealed record BulkAction(string Action, string Index, string? Id, ReadOnlyMemory<byte> Source);
