namespace Messaging.Sinks;

/// <summary>
/// Where JSON documents are indexed. Indexing is idempotent: a document whose id is there already counts as indexed, so the same
/// message may come any number of times. Threads: any number of writers at once, each used by one at a time.
/// </summary>
internal interface IDocumentSink : ISink
{
    /// <summary>Begins the documents of one message.</summary>
    /// <param name="rejections">Told of every document that the store will never take, one at a time.</param>
    IDocumentWriter Begin(IDocumentRejections rejections);
}
