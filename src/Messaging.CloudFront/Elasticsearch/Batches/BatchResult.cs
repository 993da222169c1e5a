using Messaging.Sinks;

namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>How the sending of a batch ended.</summary>
/// <param name="Status">Stored when every document is accounted for, the rejected ones too; else Transient or Refused.</param>
/// <param name="Detail">For people; null on success.</param>
/// <param name="RetryAfter">Transient only: the least wait the store asked for.</param>
internal readonly record struct BatchResult(SinkStatus Status, string? Detail = null, TimeSpan RetryAfter = default);

/// <summary>A document of a batch that will never be taken.</summary>
/// <param name="Document">Which one of the batch.</param>
/// <param name="Status">The item's status.</param>
/// <param name="Type">The error's type.</param>
/// <param name="Reason">The error's reason.</param>
internal readonly record struct RejectedDocument(int Document, int Status, string Type, string Reason);
