namespace ElasticsearchServer;

/// <summary>All indexes. Threads: any; each request is executed atomically.</summary>
internal sealed class IndexStore
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, StoredIndex> _indexes = new(StringComparer.Ordinal);
    private readonly HashSet<string> _pipelines = new(StringComparer.Ordinal);

    public void AddPipeline(string name) => Do(_ => _pipelines.Add(name));

    public bool HasPipeline(string name) => Do(_ => _pipelines.Contains(name));

    public void Clear() => Do(indexes =>
    {
        indexes.Clear();
        _pipelines.Clear();
        return true;
    });

    public T Do<T>(Func<Dictionary<string, StoredIndex>, T> work)
    {
        lock (_lock)
        {
            return work(_indexes);
        }
    }

    public StoredIndex Find(string name) =>
        Do(indexes => indexes.GetValueOrDefault(name)) ?? throw new ApiException(404, "index_not_found_exception", $"no such index [{name}]");
}
