using Messaging.CloudFront.Elasticsearch.BulkResponses;

namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>Classifies failed items of <c>create</c> actions, by the table in docs/reference/elasticsearch.md.</summary>
internal static class ItemRules
{
    public static ItemVerdict Judge(in BulkItem item) => item.Status switch
    {
        // Elasticsearch could not index it. The failure store deletes it after some time.
        _ when item.IsSetAside => ItemVerdict.Reject,

        409 when item.IsType("version_conflict_engine_exception"u8) => ItemVerdict.Exists,

        // Not the documents' fault: rejecting them would dead-letter valid documents.
        401 or 403 or 404 => ItemVerdict.Refuse,
        400 when IsAboutTheIndex(item) => ItemVerdict.Refuse,

        // 408 is a timeout. After another 409, or an error with a success status, the document may exist or not.
        408 or 409 or 429 or >= 500 or < 300 => ItemVerdict.Retry,
        _ => ItemVerdict.Reject,
    };

    private static bool IsAboutTheIndex(in BulkItem item) =>
        item.IsType("index_closed_exception"u8)
        || item.IsType("invalid_index_name_exception"u8)

        // The cluster cannot create the index, for instance at its limit of shards. Some versions report that limit as an illegal argument.
        || item.IsType("validation_exception"u8)
        || (item.IsType("illegal_argument_exception"u8)
            && (item.ReasonStartsWith("pipeline with id "u8)
                || item.ReasonStartsWith("no write index is defined"u8)
                || item.ReasonStartsWith("only write ops with an op_type of create"u8)
                || item.ReasonStartsWith("Validation Failed: 1: this action would add "u8)));
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
}
