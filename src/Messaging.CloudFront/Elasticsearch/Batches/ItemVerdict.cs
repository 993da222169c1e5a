namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>What a failed item of a bulk response means for its document.</summary>
internal enum ItemVerdict
{
    /// <summary>The document was there before, by its id.</summary>
    Exists = 0,

    /// <summary>Throttled or broken: the same document again, later.</summary>
    Retry,

    /// <summary>The document will never be taken.</summary>
    Reject,

    /// <summary>It is not about the document: no such index, no permission. It would be said of every document.</summary>
    Refuse,
}
