using System.Globalization;
using Messaging.CloudFront.Elasticsearch.Requests;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>Describes a failure to an operator, and what to do about it.</summary>
internal static class ElasticsearchAdvice
{
    /// <summary>
    /// Describes a failure, such as <c>Elasticsearch _bulk: es_rejected_execution_exception (429)</c> or
    /// <c>Elasticsearch _bulk: ConnectionError: Connection refused (127.0.0.1:9200)</c>.
    /// </summary>
    public static string Describe(in BulkFault fault, string operation) =>
        string.Create(CultureInfo.InvariantCulture, $"Elasticsearch {operation}: {fault.Code}{(fault.Status != 0 ? $" ({fault.Status})" : string.IsNullOrEmpty(fault.Reason) ? string.Empty : $": {fault.Reason}")}");

    /// <summary>What to do about a refusal.</summary>
    public static string For(in BulkFault fault, string index) => (fault.Status, fault.Code) switch
    {
        (401, _) => "The credentials are missing or refused: check Sinks:Elasticsearch:ApiKey, or Username and Password.",
        (403, "cluster_block_exception") => $"The index '{index}' is blocked for writing: free disk space or remove the block.",
        (403, _) => $"Grant the privilege create_doc on '{index}'.",
        (404, _) => $"The index '{index}' does not exist and cannot be created automatically: create it, or correct Sinks:Elasticsearch:Index.",
        (400, _) when fault.Reason.StartsWith("Validation Failed: 1: this action would add ", StringComparison.Ordinal) =>
            "The cluster has reached its limit of shards: delete indices, or raise cluster.max_shards_per_node.",
        (_, "index_closed_exception") => $"The index '{index}' is closed: open it.",
        (301 or 302 or 303 or 307 or 308 or 405, _) => "The server at this address is not Elasticsearch: check Sinks:Elasticsearch:Endpoint.",
        _ => "Check the settings in Sinks:Elasticsearch.",
    };
}
