namespace Worker.Tests.CloudFront.Elasticsearch.BulkResponses;

/// <summary>A failed item as a reader tells it.</summary>
internal sealed record ReadFailure(int Index, int Status, string Id, string Type, string Reason);
