using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace ElasticsearchServer;

/// <summary>Executes a bulk request, each operation separately.</summary>
internal sealed class BulkService(IndexStore store)
{
    // Elasticsearch reference, "_id field".
    private const int MaxId = 512;

    /// <param name="actions">The operations, in order.</param>
    /// <param name="settings">The server's settings.</param>
    /// <param name="pipeline">The requested pipeline; null for none.</param>
    /// <param name="rule">Which items fail regardless of their content; null for none.</param>
    public List<ItemResult> Execute(IReadOnlyList<BulkAction> actions, ServerSettings settings, string? pipeline, FaultRule? rule)
    {
        bool isMissing = pipeline is not null && !store.HasPipeline(pipeline);
        return store.Do(indexes => actions
            .Select(
                (action, number) => rule is not null && number % rule.EveryNthItem == 0
                    ? ItemResult.Failed(action, rule.Status, rule.Type, rule.Reason, rule.Cause)
                        : isMissing ? ItemResult.Failed(action, 400, "illegal_argument_exception", $"pipeline with id [{pipeline}] does not exist")
                        : Execute(action, settings, indexes))
            .ToList());
    }

    private static ItemResult Execute(BulkAction action, ServerSettings settings, Dictionary<string, StoredIndex> indexes)
    {
        if (settings.AllowedIndex is { } allowed && allowed != action.Index)
        {
            return ItemResult.Failed(
                action, 403, "security_exception", $"action [indices:data/write/bulk[s]] is unauthorized for this user on indices [{action.Index}]");
        }

        string id = action.Id ?? Guid.NewGuid().ToString("N");
        if (Encoding.UTF8.GetByteCount(id) is 0 or > MaxId)
        {
            return ItemResult.Failed(
                action, 400, "illegal_argument_exception",
                string.Create(CultureInfo.InvariantCulture, $"id [{id}] is too long, must be no longer than {MaxId} bytes"));
        }

        if (!indexes.TryGetValue(action.Index, out StoredIndex? index))
        {
            if (!settings.AutoCreateIndex)
            {
                return ItemResult.Failed(action, 404, "index_not_found_exception", $"no such index [{action.Index}]");
            }

            indexes[action.Index] = index = new StoredIndex();
        }

        return Write(action, id, index);
    }

    private static ItemResult Write(BulkAction action, string id, StoredIndex index)
    {
        index.Documents.TryGetValue(id, out StoredDocument? present);
        if (action.Action == "delete")
        {
            index.Documents.Remove(id);
            return new ItemResult(
                action.Action, action.Index, id, present is null ? 404 : 200, new StoredDocument([], (present?.Version ?? 0) + 1, index.NextSequenceNumber++));
        }

        if (action.Action == "update")
        {
            return ItemResult.Failed(action, 400, "illegal_argument_exception", "updates are not known here");
        }

        if (FindProblem(action.Source, id, index) is { } problem)
        {
            return ItemResult.Failed(action, 400, "document_parsing_exception", problem);
        }

        if (present is not null && action.Action == "create")
        {
            return ItemResult.Failed(
                action, 409, "version_conflict_engine_exception", $"[{id}]: version conflict, document already exists (current version [{present.Version}])");
        }

        StoredDocument stored = new(action.Source.ToArray(), (present?.Version ?? 0) + 1, index.NextSequenceNumber++);
        index.Documents[id] = stored;
        return new ItemResult(action.Action, action.Index, id, present is null ? 201 : 200, stored);
    }

    private static string? FindProblem(ReadOnlyMemory<byte> source, string id, StoredIndex index)
    {
        if (!Utf8.IsValid(source.Span))
        {
            return $"[1:1] failed to parse: Invalid UTF-8 in document with id '{id}'";
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(source);
            if (document.RootElement.ValueKind != JsonValueKind.Object)
            {
                return "[1:1] failed to parse: expecting an object";
            }

            foreach (JsonProperty field in document.RootElement.EnumerateObject())
            {
                if (index.LongFields.Contains(field.Name) && !IsLong(field.Value))
                {
                    return $"[1:1] failed to parse field [{field.Name}] of type [long] in document with id '{id}'. Preview of field's value: '{field.Value}'";
                }
            }

            return null;
        }
        catch (JsonException exception)
        {
            return $"[1:1] failed to parse: {exception.Message}";
        }
    }

    private static bool IsLong(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Null => true,
        JsonValueKind.Number => value.TryGetInt64(out _) || value.TryGetDouble(out _),
        JsonValueKind.String => long.TryParse(value.GetString(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out _),
        _ => false,
    };
}
