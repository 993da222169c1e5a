namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>A document of a batch that will never be taken.</summary>
/// <param name="Document">Which one of the batch.</param>
/// <param name="Status">The item's status.</param>
/// <param name="Type">The error's type.</param>
/// <param name="Reason">The error's reason.</param>
internal readonly record struct RejectedDocument(int Document, int Status, string Type, string Reason);
