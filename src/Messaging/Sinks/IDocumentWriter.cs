using System.Buffers;

namespace Messaging.Sinks;

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
    /// <returns>The outcome; expected failures are values. Throws only <see cref="OperationCanceledException"/> of this token and what <see cref="IDocumentRejections"/> throws.</returns>
    ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken);
}
