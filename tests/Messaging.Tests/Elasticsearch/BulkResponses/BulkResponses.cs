using System.Globalization;
using System.Text;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

/// <summary>Bulk responses in the formats of Elasticsearch.</summary>
internal static class BulkResponses
{
    public static string Created(string id, string action = "create") =>
        $$$"""{"{{{action}}}":{"_index":"logs","_id":"{{{id}}}","_version":1,"result":"created","_shards":{"total":2,"successful":1,"failed":0},"_seq_no":7,"_primary_term":1,"status":201}}""";

    public static string Failed(string id, int status, string type, string reason, string action = "create") =>
        $$$$"""{"{{{{action}}}}":{"_index":"logs","_id":"{{{{id}}}}","status":{{{{status.ToString(CultureInfo.InvariantCulture)}}}},"error":{"type":"{{{{type}}}}","reason":"{{{{reason}}}}","caused_by":{"type":"inner","reason":"deep","status":1},"index_uuid":"u-1","shard":"0","index":"logs"}}}""";

    public static string Exists(string id) =>
        Failed(id, 409, "version_conflict_engine_exception", $"[{id}]: version conflict, document already exists (current version [1])");

    public static string Rejected(string id) => Failed(id, 429, "es_rejected_execution_exception", "rejected execution of coordinating operation");

    /// <summary>In the format of 8.x.</summary>
    public static string Of(bool errors, params IEnumerable<string> items) =>
        $$"""{"took":30,"errors":{{(errors ? "true" : "false")}},"ingest_took":2,"items":[{{string.Join(',', items)}}]}""";

    public static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
