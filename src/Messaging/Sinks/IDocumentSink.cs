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

/// <summary>The outcome of all the documents of one message.</summary>
/// <param name="Status">Stored when every document is indexed, was there before or is rejected; otherwise Transient or Refused, and the message must be redelivered.</param>
/// <param name="Created">Documents indexed by this call.</param>
/// <param name="Existing">Documents whose id was there before.</param>
/// <param name="Rejected">Documents reported to <see cref="IDocumentRejections"/>.</param>
/// <param name="Detail">For people: which call failed and how, at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the least wait the store asked for; zero when it did not say.</param>
public readonly record struct DocumentsResult(SinkStatus Status, long Created, long Existing, long Rejected, string? Detail = null, TimeSpan RetryAfter = default);

/// <summary>Keeps the documents that a store will never take; a handler implements it. Threads: one call at a time per writer.</summary>
public interface IDocumentRejections
{
    /// <summary>Keeps one document durably. An exception fails the whole message, which is then redelivered or dead-lettered like any other failure.</summary>
    ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken);
}

/// <summary>One document that the store refused for what it is.</summary>
/// <param name="Index">Which of the message's documents, from 0 in the order they were opened.</param>
/// <param name="Json">The document as it was written. A borrow until the call ends.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error, such as <c>mapper_parsing_exception</c>; at most 256 characters, may be empty.</param>
/// <param name="Reason">The store's words; at most 256 characters, may be empty.</param>
public readonly record struct DocumentRejection(long Index, ReadOnlyMemory<byte> Json, int Status, string Type, string Reason);
