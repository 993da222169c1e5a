using System.Buffers;

namespace Messaging.Sinks;

/// <summary>
/// Takes the documents of one message and sends them in batches that are bounded in bytes and count, so that memory does not grow
/// with the number of documents. Use: open, write and close each document; send whenever it is full; complete or end; dispose. Threads: one at a time.
/// </summary>
public interface IDocumentWriter : IAsyncDisposable
{
    /// <summary>Where the open document's JSON goes: one object, UTF-8, without a line break. The same object for every document.</summary>
    IBufferWriter<byte> Body { get; }

    /// <summary>True when <see cref="SendAsync"/> must come before the next <see cref="Open"/>.</summary>
    bool IsFull { get; }

    /// <summary>Begins a document.</summary>
    /// <param name="id">The document's id: 1 to 512 bytes of <c>A-Z a-z 0-9 - _</c>, the same on every delivery of the message. A borrow of this call.</param>
    void Open(ReadOnlySpan<byte> id);

    /// <summary>Ends the open document.</summary>
    void Close();

    /// <summary>Sends the batch. Waits while as many batches as allowed are on their way.</summary>
    /// <returns>False when an earlier batch failed for good: the caller writes no more, and <see cref="CompleteAsync"/> returns the reason.</returns>
    ValueTask<bool> SendAsync(CancellationToken cancellationToken);

    /// <summary>Ends without the documents that were not sent; waits for the batches that are on their way.</summary>
    /// <returns>The outcome so far. Throws as <see cref="CompleteAsync"/> does.</returns>
    ValueTask<DocumentsResult> EndAsync(CancellationToken cancellationToken);

    /// <summary>Sends the rest and waits until every document is accounted for: indexed, there before, or rejected and kept.</summary>
    /// <returns>The outcome; expected failures are values. Throws only <see cref="OperationCanceledException"/> of this token and what <see cref="IDocumentRejections"/> throws.</returns>
    ValueTask<DocumentsResult> CompleteAsync(CancellationToken cancellationToken);
}
