namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>Why an item has to be sent again, or nothing can be sent.</summary>
/// <param name="Status">The item's status.</param>
/// <param name="Type">The error's type.</param>
/// <param name="Reason">The error's reason.</param>
internal sealed record ItemFault(int Status, string Type, string Reason);
