using System.Buffers;

namespace Quayside.Messaging.Sinks;

/// <summary>
/// A sink for JSON documents. Indexing is idempotent: a document whose id exists counts as indexed, so that the same message may be
/// delivered any number of times. Only a fault of a document's content rejects the document; a fault of the index, its settings or the worker's
/// privileges is <see cref="SinkStatus.Refused"/>, however the store reports it. Threads: any number of concurrent writers, each used by one thread at a time.
/// </summary>
public interface IDocumentSink : ISink
{
    /// <summary>Creates the writer for the documents of one message.</summary>
    /// <param name="rejections">Called for every document that the store will never accept, one at a time.</param>
    /// <returns>A writer that the caller disposes.</returns>
    IDocumentWriter Begin(IDocumentRejections rejections);
}

/// <summary>The outcome of all documents of one message.</summary>
/// <param name="Status">Stored when every document is indexed, existed before, or is rejected; otherwise Transient or Refused, and the message must be
/// redelivered.</param>
/// <param name="Created">Documents indexed by this call.</param>
/// <param name="Existing">Documents whose id existed before.</param>
/// <param name="Rejected">Documents reported to <see cref="IDocumentRejections"/>.</param>
/// <param name="Detail">Which call failed and how, as text of at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the minimum wait that the store asked for; zero without one.</param>
public readonly record struct DocumentsResult(
    SinkStatus Status, long Created, long Existing, long Rejected, string? Detail = null, TimeSpan RetryAfter = default)
{
    /// <summary>The documents accounted for. A stored message has as many as were written; any other number is a defect of the sink.</summary>
    public long Total => Created + Existing + Rejected;

    /// <summary>
    /// True when the store rejected every document of a message: the index may be at fault, so the handler dead-letters the message instead of
    /// completing it.
    /// </summary>
    public bool HasOnlyRejections => Status == SinkStatus.Stored && Rejected > 0 && Created + Existing == 0;
}

/// <summary>Keeps the documents that a store will never accept; implemented by handlers. Threads: one call at a time per writer.</summary>
public interface IDocumentRejections
{
    /// <summary>Keeps one document durably. An exception fails the whole message, which is then redelivered or dead-lettered like any other failure.</summary>
    ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken);
}

/// <summary>One document that the store rejected because of its content.</summary>
/// <param name="Id">The document's id, as it was opened.</param>
/// <param name="Json">The document as it was written; borrowed for the call.</param>
/// <param name="Status">The store's status, such as 400.</param>
/// <param name="Type">The store's name for the error, such as <c>mapper_parsing_exception</c>; at most 256 characters, may be empty.</param>
/// <param name="Reason">The store's explanation; at most 256 characters, may be empty.</param>
public readonly record struct DocumentRejection(string Id, ReadOnlyMemory<byte> Json, int Status, string Type, string Reason);

/// <summary>
/// Sends the documents of one message in batches that are bounded in bytes and count, so that memory does not grow
/// with the number of documents. Use: open, write and close each document; send whenever it is full; complete or end; dispose. Threads: one at a time.
/// </summary>
public interface IDocumentWriter : IAsyncDisposable
{
    /// <summary>The buffer for the open document's JSON: one object, UTF-8, without a line break. The same buffer for every document.</summary>
    IBufferWriter<byte> Body { get; }

    /// <summary>True when <see cref="SendAsync"/> must be called before the next <see cref="Open"/>.</summary>
    bool IsFull { get; }

    /// <summary>
    /// Documents for which the store has answered so far, however it answered; also after the disposal. While it is 0 when a time limit ends, the
    /// store may be to blame. A writer that does not know it returns 0.
    /// </summary>
    long Answered => 0;

    /// <summary>Begins a document.</summary>
    /// <param name="id">The document's id: 1 to 512 bytes of <c>A-Z a-z 0-9 - _</c>, the same on every delivery of the message. Borrowed for the call.</param>
    void Open(ReadOnlySpan<byte> id);

    /// <summary>Ends the open document.</summary>
    void Close();

    /// <summary>Sends the batch. Waits while the maximum number of batches is in flight.</summary>
    /// <returns>False when an earlier batch failed for good: the caller stops writing, and <see cref="CompleteAsync"/> returns the reason.</returns>
    ValueTask<bool> SendAsync(CancellationToken cancellationToken);

    /// <summary>Discards the documents that were not sent, and waits for the batches in flight.</summary>
    /// <returns>The outcome so far. Throws as <see cref="CompleteAsync"/> does.</returns>
    ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken);

    /// <summary>Sends the rest and waits until every document is indexed, existed before, or is rejected and kept.</summary>
    /// <returns>The outcome; expected failures are values. Throws only <see cref="OperationCanceledException"/> of this token and what
    /// <see cref="IDocumentRejections"/> throws.</returns>
    ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken);
}
