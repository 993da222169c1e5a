namespace Messaging.Sinks;

/// <summary>The outcome of all the documents of one message.</summary>
/// <param name="Status">Stored when every document is indexed, was there before or is rejected; otherwise Transient or Refused, and the message must be redelivered.</param>
/// <param name="Created">Documents indexed by this call.</param>
/// <param name="Existing">Documents whose id was there before.</param>
/// <param name="Rejected">Documents reported to <see cref="IDocumentRejections"/>.</param>
/// <param name="Detail">For people: which call failed and how, at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the least wait the store asked for; zero when it did not say.</param>
public readonly record struct DocumentsResult(SinkStatus Status, long Created, long Existing, long Rejected, string? Detail = null, TimeSpan RetryAfter = default);
