namespace ElasticsearchServer;

/// <summary>Documents by id, and the fields that must be numbers. Threads: one at a time, by <see cref="IndexStore"/>.</summary>
internal sealed class StoredIndex
{
    /// <summary>The fields of type long in the mapping.</summary>
    public HashSet<string> LongFields { get; } = new(StringComparer.Ordinal);

    public SortedDictionary<string, StoredDocument> Documents { get; } = new(StringComparer.Ordinal);

    public long NextSequenceNumber { get; set; }
}
