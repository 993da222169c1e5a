namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>Told of the items of a bulk response that did not succeed, in their order.</summary>
internal interface IBulkItems
{
    /// <summary>An item with a status of 300 or more, or with an error.</summary>
    /// <param name="item">A borrow of this call. What it says counts only once the whole response was found right.</param>
    void Failed(in BulkItem item);
}
