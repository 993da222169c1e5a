using System.Collections.Immutable;
using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>
/// Classifies failed items of <c>create</c> actions, by the tables in docs/reference/faults.md#errors-of-elasticsearch-whose-fault. Rejecting documents for a
/// fault of their index would dead-letter valid documents. Types and reasons are those of Elasticsearch 7 to 9 and OpenSearch 1 to 3. A reason may quote the
/// document, which can hold any text, so only its beginning counts.
/// </summary>
internal sealed class ItemRules
{
    private const string CorrectIndex = "Correct Sinks:Elasticsearch:Index.";
    private const string CannotCreate = "Elasticsearch cannot create the index '{index}' or add fields to it: correct its template and mapping.";
    private const string Limit =
        "The mapping of '{index}' has reached a limit: raise the limit in the index settings (index.mapping.*), or index fewer fields.";
    private const string Timestamp =
        "The data stream '{index}' does not accept the documents' @timestamp: check the handler's timestamp field and the data stream's time range.";
    private const string PipelineFault = "Create or correct the ingest pipeline, or correct Sinks:Elasticsearch:Pipeline.";
    private const string Named = "Elasticsearch names the index in its reason, and has accepted no document of this message: check the index.";

    private static readonly string[] IndexWords = ["index", "indices", "alias", "stream", "target", "name"];

    private readonly string _bracketed;
    private readonly string _backing;
    private readonly ItemRule _named = new(string.Empty, string.Empty, ItemVerdict.RefuseUnlessAccepted, Named);

    /// <param name="index">The index, alias or data stream of the documents.</param>
    public ItemRules(string index)
    {
        _bracketed = $"[{index}]";
        _backing = $"[.ds-{index}-";
    }

    /// <summary>Errors that are not a document's fault; the first that matches counts. Every other 3xx and 4xx rejects its document.</summary>
    public static ImmutableArray<ItemRule> All { get; } =
    [
        Refuse("security_exception", "action [indices:admin/", "Grant the privilege auto_configure on '{index}', or create the index with all fields."),
        Refuse("security_exception", "", "Grant the privilege create_doc on '{index}'."),
        Refuse("cluster_block_exception", "", "The index '{index}' is blocked for writing: free disk space or remove the block."),
        Refuse("index_create_block_exception", "", "The cluster does not create indices: free disk space or remove the block, or create '{index}'."),
        Refuse("index_not_found_exception", "",
            "The index '{index}' does not exist and cannot be created automatically: create it, or correct Sinks:Elasticsearch:Index."),
        Refuse("index_closed_exception", "", "The index '{index}' is closed: open it."),
        Refuse("invalid_index_name_exception", "", CorrectIndex),
        Refuse("invalid_alias_name_exception", "", CorrectIndex),
        Refuse("", "no write index is defined", "Give the alias '{index}' a write index (is_write_index)."),
        Refuse("", "unable to return a single index", "Give the alias '{index}' a write index (is_write_index)."),
        Refuse("", "only write ops with an op_type of create", CorrectIndex),
        Refuse("", "index request with op_type=create targeting backing indices",
            "Set Sinks:Elasticsearch:Index to the data stream instead of its backing index."),
        Refuse("", "no matching index template found for data stream", "Create an index template for the data stream '{index}'."),
        Refuse("", "data_stream [", CorrectIndex),
        Refuse("", "cannot create data stream", CannotCreate),
        Refuse("", "Validation Failed: 1: this action would add ",
            "The cluster has reached its limit of shards: delete indices, or raise cluster.max_shards_per_node."),
        Refuse("validation_exception", "", CannotCreate),
        Refuse("invalid_index_template_exception", "", CannotCreate),
        Refuse("index_template_missing_exception", "", CannotCreate),
        Refuse("index_creation_exception", "", CannotCreate),
        Refuse("settings_exception", "", CannotCreate),
        Refuse("invalid_type_name_exception", "", CannotCreate),
        Refuse("", "unknown setting [", CannotCreate),
        Refuse("", "Failed to parse mapping", CannotCreate),
        Refuse("", "Rejecting mapping update to [", CannotCreate),
        Refuse("", "Limit of ", Limit),
        Refuse("", "The number of nested documents has exceeded", Limit),
        Refuse("", "The total number of objects across all arrays", Limit),
        Refuse("", "The depth of the field", Limit),
        Refuse("", "Field name [", Limit),
        Refuse("", "Number of documents in shard ", "A shard of '{index}' is full: roll the index over, or reindex it with more shards."),
        Refuse("", "number of documents in the index cannot exceed", "A shard of '{index}' is full: roll the index over, or reindex it with more shards."),
        Refuse("", "pipeline with id [", PipelineFault),
        Refuse("graph_structure_exception", "", PipelineFault),
        Refuse("", "Cycle detected for pipeline", PipelineFault),
        Refuse("", "Too many nested pipelines", PipelineFault),
        Refuse("routing_missing_exception", "",
            "The mapping of '{index}' requires a routing value, which the worker does not send: set _routing.required to false."),
        Refuse("", "_id must be unset or set to [",
            "'{index}' is in time series mode, which does not accept the worker's ids: write to a standard index or data stream."),
        RefuseUnlessAccepted(
            "", "Error extracting routing",
            "'{index}' is in time series mode, and the documents have none of its routing fields: write to a standard index or data stream."),
        RefuseUnlessAccepted(
            "strict_dynamic_mapping_exception", "",
            "The mapping of '{index}' is strict and lacks a field of the documents: add the field, or correct the handler's fields."),
        RefuseUnlessAccepted("", "data stream timestamp field [", Timestamp),
        RefuseUnlessAccepted("", "Error get data stream timestamp field", Timestamp),
        RefuseUnlessAccepted("timestamp_error", "", Timestamp),
        RefuseUnlessAccepted("", "the document timestamp [", Timestamp),
        RefuseUnlessAccepted("", "time series index @timestamp value [", Timestamp),
    ];

    public ItemVerdict Judge(in BulkItem item) => item.Status switch
    {
        // Elasticsearch could not index it. The failure store deletes it after some time.
        _ when item.IsSetAside => ItemVerdict.Reject,

        409 when item.IsType("version_conflict_engine_exception"u8) => ItemVerdict.Exists,

        401 or 403 or 404 => ItemVerdict.Refuse,

        // 408 is a timeout. After another 409, or an error with a success status, the document may exist or not. The last was another
        // request's, which created the index at the same moment.
        408 or 409 or 429 or >= 500 or < 300 => ItemVerdict.Retry,
        _ when item.IsType("resource_already_exists_exception"u8) => ItemVerdict.Retry,
        _ => Find(item.ReadType(), item.ReadReason())?.Verdict ?? ItemVerdict.Reject,
    };

    /// <summary>Finds the rule of an error; null when it may be the document's own fault.</summary>
    public ItemRule? Find(string type, string reason)
    {
        ReadOnlySpan<char> text = Skip(reason);
        foreach (ItemRule rule in All)
        {
            if (rule.Matches(type, text))
            {
                return rule;
            }
        }

        // What follows quotes the document.
        int quoted = text.IndexOf("Preview of field", StringComparison.Ordinal);
        text = quoted < 0 ? text : text[..quoted];
        return Names(text, _bracketed) || Names(text, _backing) ? _named : null;
    }

    // Processors of a pipeline quote the document anywhere in a reason: only what is called an index there counts.
    private static bool Names(ReadOnlySpan<char> text, string bracketed)
    {
        for (int at = text.IndexOf(bracketed, StringComparison.Ordinal); at >= 0; at = text.IndexOf(bracketed, StringComparison.Ordinal))
        {
            ReadOnlySpan<char> before = text[..at].TrimEnd();
            foreach (string word in IndexWords)
            {
                if (before.EndsWith(word, StringComparison.OrdinalIgnoreCase))
                {
                    return true;
                }
            }

            text = text[(at + bracketed.Length)..];
        }

        return false;
    }

    /// <summary>Skips <c>[line:column]</c> and <c>failed to parse:</c>, which precede the reason itself.</summary>
    private static ReadOnlySpan<char> Skip(ReadOnlySpan<char> reason)
    {
        const string Failed = "failed to parse: ";
        int end = reason.IndexOf(']');
        if (end > 0 && reason[0] == '[' && !reason[1..end].ContainsAnyExcept("0123456789:"))
        {
            reason = reason[(end + 1)..].TrimStart();
        }

        return reason.StartsWith(Failed, StringComparison.Ordinal) ? reason[Failed.Length..] : reason;
    }

    private static ItemRule Refuse(string type, string start, string advice) => new(type, start, ItemVerdict.Refuse, advice);

    private static ItemRule RefuseUnlessAccepted(string type, string start, string advice) => new(type, start, ItemVerdict.RefuseUnlessAccepted, advice);
}

/// <summary>What a failed item of a bulk response means for its document.</summary>
internal enum ItemVerdict
{
    /// <summary>A document with this id already exists.</summary>
    Exists = 0,

    /// <summary>Throttled or failed: send the same document again later.</summary>
    Retry,

    /// <summary>Elasticsearch will never accept the document.</summary>
    Reject,

    /// <summary>Not about the document: every document would fail, for instance for lack of the index or of permission.</summary>
    Refuse,

    /// <summary>The document's fault if Elasticsearch accepts another document of the message; otherwise as <see cref="Refuse"/>.</summary>
    RefuseUnlessAccepted,
}

/// <summary>Whose fault an error is. docs/reference/faults.md#errors-of-elasticsearch-whose-fault has the same table.</summary>
/// <param name="Type">The error's type; empty for every type.</param>
/// <param name="Start">How the reason begins, without a position and "failed to parse:"; empty for every reason.</param>
/// <param name="Verdict"><see cref="ItemVerdict.Refuse"/> or <see cref="ItemVerdict.RefuseUnlessAccepted"/>.</param>
/// <param name="Advice">What to do; <see cref="IndexMark"/> stands for the index's name.</param>
internal sealed record ItemRule(string Type, string Start, ItemVerdict Verdict, string Advice)
{
    public const string IndexMark = "{index}";

    public bool Matches(string type, ReadOnlySpan<char> reason) =>
        (Type.Length == 0 || Type == type) && reason.StartsWith(Start, StringComparison.Ordinal);
}
