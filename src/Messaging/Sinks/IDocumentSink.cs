namespace Messaging.Sinks;

/// <summary>
/// Where JSON documents are indexed. Indexing is idempotent: a document whose id is there already counts as indexed, so that the same
/// message may be delivered any number of times. Threads: any number of writers at once, each used by one thread at a time.
/// </summary>
public interface IDocumentSink : ISink
{
    /// <summary>Begins the documents of one message.</summary>
    /// <param name="rejections">Called for every document that the store will never take, one at a time.</param>
    /// <returns>A writer that the caller disposes.</returns>
    IDocumentWriter Begin(IDocumentRejections rejections);
}
