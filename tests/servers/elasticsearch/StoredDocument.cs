namespace ElasticsearchServer;

/// <summary>A document as it was sent.</summary>
/// <param name="Source">Its bytes.</param>
/// <param name="Version">Times it was written.</param>
/// <param name="SequenceNumber">Its place in the index's history.</param>
internal sealed record StoredDocument(byte[] Source, long Version, long SequenceNumber);
