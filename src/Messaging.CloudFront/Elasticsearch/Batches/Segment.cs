namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>A piece of a batch.</summary>
/// <param name="Bytes">Owned by the batch; longer than <see cref="SegmentPool.SegmentBytes"/> only for one write that asked for more room than that.</param>
/// <param name="Length">Bytes written; the last segment's is kept by the batch while it is written to.</param>
internal readonly record struct Segment(byte[] Bytes, int Length);
