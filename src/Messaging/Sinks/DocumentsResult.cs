namespace Messaging.Sinks;

/// <summary>The outcome of all the documents of one message.</summary>
/// <param name="Status">Stored when every document is accounted for; else Transient or Refused, and the message has to come again.</param>
/// <param name="Created">Documents that are there since now.</param>
/// <param name="Existing">Documents that were there before, by their id.</param>
/// <param name="Rejected">Documents told to <see cref="IDocumentRejections"/>.</param>
/// <param name="Detail">For people: which call failed and how, at most 256 characters; null on success.</param>
/// <param name="RetryAfter">Transient only: the least wait the store asked for; zero when it did not say.</param>
internal readonly record struct DocumentsResult(SinkStatus Status, long Created, long Existing, long Rejected, string? Detail = null, TimeSpan RetryAfter = default);
