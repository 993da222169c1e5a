namespace ElasticsearchServer;

/// <summary>A document as sent.</summary>
/// <param name="Source">Its bytes.</param>
/// <param name="Version">How often it was written.</param>
/// <param name="SequenceNumber">Its position in the index's history.</param>
internal sealed record StoredDocument(byte[] Source, long Version, long SequenceNumber);
