namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>A failed item as a reader reports it.</summary>
internal sealed record ReadFailure(int Index, int Status, string Id, string Type, string Reason);
