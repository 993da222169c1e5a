using System.Text.Json.Nodes;

namespace ElasticsearchServer;

/// <summary>Answers in the shapes of Elasticsearch 8.</summary>
internal static class BulkAnswer
{
    public static JsonObject Of(IReadOnlyList<ItemResult> items) => new()
    {
        ["errors"] = items.Any(item => item.ErrorType is not null),
        ["took"] = 3,
        ["items"] = new JsonArray([.. items.Select(Item)]),
    };

    public static JsonObject Error(int status, string type, string reason)
    {
        JsonObject Cause() => new() { ["type"] = type, ["reason"] = reason };
        JsonObject error = Cause();
        error.Insert(0, "root_cause", new JsonArray(Cause()));
        return new JsonObject { ["error"] = error, ["status"] = status };
    }

    private static JsonNode Item(ItemResult item)
    {
        JsonObject result = new() { ["_index"] = item.Index, ["_id"] = item.Id };
        if (item.ErrorType is not null)
        {
            result["status"] = item.Status;
            result["error"] = new JsonObject
            {
                ["type"] = item.ErrorType,
                ["reason"] = item.ErrorReason,
                ["caused_by"] = Cause(item.ErrorCause),
                ["index_uuid"] = "lHkiUFEmTrKYugulAenzgA",
                ["shard"] = "0",
                ["index"] = item.Index
            };
        }
        else
        {
            result["_version"] = item.Stored!.Version;
            result["result"] = item.Status switch { 201 => "created", 404 => "not_found", _ => item.Action == "delete" ? "deleted" : "updated" };
            result["_shards"] = new JsonObject { ["total"] = 2, ["successful"] = 1, ["failed"] = 0 };
            result["_seq_no"] = item.Stored.SequenceNumber;
            result["_primary_term"] = 1;
            result["status"] = item.Status;
        }

        return new JsonObject { [item.Action] = result };
    }

    private static JsonObject? Cause(string? reason) => reason is null ? null : new JsonObject { ["type"] = "illegal_argument_exception", ["reason"] = reason };
}
