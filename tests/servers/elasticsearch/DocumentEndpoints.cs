using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;

namespace ElasticsearchServer;

/// <summary>The endpoints that tests also use on a real Elasticsearch: create an index, count and read its documents.</summary>
internal sealed class DocumentEndpoints(IndexStore store)
{
    /// <summary><c>PUT /{index}</c> with mappings, of which only the type long has an effect.</summary>
    public async Task<JsonObject> CreateAsync(HttpRequest request, string index)
    {
        StoredIndex created = new();
        using StreamReader reader = new(request.Body);
        JsonNode? body = await reader.ReadToEndAsync() is { Length: > 0 } text ? JsonNode.Parse(text) : null;
        foreach ((string field, JsonNode? mapping) in body?["mappings"]?["properties"]?.AsObject() ?? [])
        {
            if (mapping?["type"]?.GetValue<string>() == "long")
            {
                created.LongFields.Add(field);
            }
        }

        return store.Do(indexes => indexes.TryAdd(index, created))
            ? new JsonObject { ["acknowledged"] = true, ["shards_acknowledged"] = true, ["index"] = index }
            : throw new ApiException(400, "resource_already_exists_exception", $"index [{index}] already exists");
    }

    public JsonObject Delete(string index) =>
        store.Do(indexes => indexes.Remove(index))
            ? new JsonObject { ["acknowledged"] = true }
            : throw new ApiException(404, "index_not_found_exception", $"no such index [{index}]");

    public JsonObject Count(string index)
    {
        StoredIndex found = store.Find(index);
        return new JsonObject
        {
            ["count"] = store.Do(_ => found.Documents.Count),
            ["_shards"] = new JsonObject { ["total"] = 1, ["successful"] = 1, ["skipped"] = 0, ["failed"] = 0 }
        };
    }

    /// <summary><c>POST /{index}/_mget</c> with <c>{"ids":[…]}</c>.</summary>
    public async Task<JsonObject> GetManyAsync(HttpRequest request, string index)
    {
        JsonNode? body = await JsonNode.ParseAsync(request.Body);
        string[] ids = [.. body!["ids"]!.AsArray().Select(id => id!.GetValue<string>())];
        StoredIndex found = store.Find(index);
        return store.Do(_ => new JsonObject
        {
            ["docs"] = new JsonArray([.. ids.Select(id => Get(index, id, found.Documents.GetValueOrDefault(id)))]),
        });
    }

    /// <summary>One line per document, ordered by id: <c>{"_id":"…","_version":1,"_source":…}</c>. Elasticsearch has no such endpoint.</summary>
    public string List(string index)
    {
        StoredIndex found = store.Find(index);
        return store.Do(_ => string.Concat(found.Documents.Select(document => $"{Get(index, document.Key, document.Value).ToJsonString()}\n")));
    }

    private static JsonNode Get(string index, string id, StoredDocument? stored) => stored is null
        ? new JsonObject { ["_index"] = index, ["_id"] = id, ["found"] = false }
        : new JsonObject
        {
            ["_index"] = index,
            ["_id"] = id,
            ["_version"] = stored.Version,
            ["_seq_no"] = stored.SequenceNumber,
            ["_primary_term"] = 1,
            ["found"] = true,
            ["_source"] = JsonSerializer.Deserialize<JsonNode>(stored.Source),
        };
}
