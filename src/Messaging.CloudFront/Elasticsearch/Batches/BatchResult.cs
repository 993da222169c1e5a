using Messaging.Sinks;

namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>The result of sending a batch.</summary>
/// <param name="Status">Stored when every document is accounted for, rejected ones included; otherwise Transient or Refused.</param>
/// <param name="Detail">For people; null on success.</param>
/// <param name="RetryAfter">Transient only: the minimum wait that Elasticsearch requested.</param>
internal readonly record struct BatchResult(SinkStatus Status, string? Detail = null, TimeSpan RetryAfter = default);

/// <summary>A document of a batch that Elasticsearch will never accept.</summary>
/// <param name="Document">Index of the document in the batch.</param>
/// <param name="Status">The item's status.</param>
/// <param name="Type">The error's type.</param>
/// <param name="Reason">The error's reason.</param>
internal readonly record struct RejectedDocument(int Document, int Status, string Type, string Reason);
