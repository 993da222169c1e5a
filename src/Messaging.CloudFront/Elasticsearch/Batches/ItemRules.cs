using Messaging.CloudFront.Elasticsearch.BulkResponses;

namespace Messaging.CloudFront.Elasticsearch.Batches;

/// <summary>Sorts failed items of <c>create</c> actions; the table in docs/reference/elasticsearch.md.</summary>
internal static class ItemRules
{
    public static ItemVerdict Judge(in BulkItem item) => item.Status switch
    {
        409 when item.IsType("version_conflict_engine_exception"u8) => ItemVerdict.Exists,

        // To call these the documents' fault would fill the dead letters with good ones.
        401 or 403 or 404 => ItemVerdict.Refuse,
        400 when IsAboutTheIndex(item) => ItemVerdict.Refuse,

        // 408: too slow. 409 of another kind, and an error beside a success, is nothing that can be known: the document may be there or not.
        408 or 409 or 429 or >= 500 or < 300 => ItemVerdict.Retry,
        _ => ItemVerdict.Reject,
    };

    private static bool IsAboutTheIndex(in BulkItem item) =>
        item.IsType("index_closed_exception"u8)
        || item.IsType("invalid_index_name_exception"u8)
        || (item.IsType("illegal_argument_exception"u8)
            && (item.ReasonStartsWith("pipeline with id "u8) || item.ReasonStartsWith("no write index is defined"u8) || item.ReasonStartsWith("only write ops with an op_type of create"u8)));
}

/// <summary>What a failed item of a bulk response means for its document.</summary>
internal enum ItemVerdict
{
    /// <summary>The document was there before, by its id.</summary>
    Exists = 0,

    /// <summary>Throttled or broken: the same document again, later.</summary>
    Retry,

    /// <summary>The document will never be taken.</summary>
    Reject,

    /// <summary>It is not about the document: no such index, no permission. It would be said of every document.</summary>
    Refuse,
}
