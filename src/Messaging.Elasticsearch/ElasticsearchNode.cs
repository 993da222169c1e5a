namespace Quayside.Messaging.Elasticsearch;

/// <summary>One node of the cluster, or the one address of all.</summary>
internal sealed class ElasticsearchNode
{
    // Only these members are read. Without the filter a successful item takes 230 bytes instead of 70. Errors of the whole request are not filtered.
    private const string FilterPath =
        "filter_path=took,errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.reason,items.*.failure_store";

    public ElasticsearchNode(Uri address, ElasticsearchSinkOptions options)
    {
        Root = new Uri($"{address.GetLeftPart(UriPartial.Path).TrimEnd('/')}/");
        string index = Uri.EscapeDataString(options.Index!);
        string pipeline = options.Pipeline is null ? string.Empty : $"&pipeline={Uri.EscapeDataString(options.Pipeline)}";
        Bulk = new Uri(Root, $"{index}/_bulk?{FilterPath}{pipeline}");
        Index = new Uri(Root, index);
    }

    /// <summary>The address, with a slash at its end.</summary>
    public Uri Root { get; }

    /// <summary>Where documents are created.</summary>
    public Uri Bulk { get; }

    /// <summary>The index itself.</summary>
    public Uri Index { get; }

    /// <summary>Pauses in a row; 0 while the node answers. Under the lock of <see cref="ElasticsearchNodes"/>.</summary>
    public int Pauses { get; set; }

    /// <summary>The timestamp from which a failed node is tried again. Under the same lock.</summary>
    public long TriedAgainAt { get; set; }
}
