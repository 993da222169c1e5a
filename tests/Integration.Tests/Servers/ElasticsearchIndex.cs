using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json.Nodes;

namespace Integration.Tests.Servers;

/// <summary>An index of the test's own, over the API that Elasticsearch and the strict server have in common; shares no code with the worker's sink.</summary>
internal sealed class ElasticsearchIndex : IAsyncDisposable
{
    private readonly HttpClient _http;

    private ElasticsearchIndex(HttpClient http, string name)
    {
        _http = http;
        Name = name;
    }

    public string Name { get; }

    /// <param name="address">The server; may hold user and password.</param>
    public static async Task<ElasticsearchIndex> CreateAsync(Uri address)
    {
        ElasticsearchIndex index = new(CreateClient(address), $"worker-test-{Guid.NewGuid():N}");
        using HttpResponseMessage answer = await index._http.PutAsJsonAsync(
            index.Name, JsonNode.Parse("""{"settings":{"number_of_replicas":0},"mappings":{"dynamic":false,"properties":{"bytes":{"type":"long"}}}}"""));
        answer.EnsureSuccessStatusCode();
        return index;
    }

    /// <summary>Blocks the index for writing, or unblocks it; only a real server can.</summary>
    public async Task BlockAsync(bool isBlocked)
    {
        using HttpResponseMessage answer =
            await _http.PutAsJsonAsync($"{Name}/_settings", JsonNode.Parse($$"""{"index.blocks.write":{{(isBlocked ? "true" : "false")}}}"""));
        answer.EnsureSuccessStatusCode();
    }

    public async Task<long> CountAsync()
    {
        using HttpResponseMessage refreshed = await _http.PostAsync($"{Name}/_refresh", null);
        refreshed.EnsureSuccessStatusCode();
        JsonNode? answer = await _http.GetFromJsonAsync<JsonNode>($"{Name}/_count");
        return answer!["count"]!.GetValue<long>();
    }

    /// <summary>The existing documents among these ids.</summary>
    public async Task<IReadOnlyDictionary<string, JsonNode>> ReadAsync(IEnumerable<string> ids)
    {
        Dictionary<string, JsonNode> found = new(StringComparer.Ordinal);
        foreach (string[] some in ids.Chunk(1_000))
        {
            using HttpResponseMessage answer = await _http.PostAsJsonAsync($"{Name}/_mget", new { ids = some });
            answer.EnsureSuccessStatusCode();
            JsonNode? body = await answer.Content.ReadFromJsonAsync<JsonNode>();
            foreach (JsonNode? document in body!["docs"]!.AsArray())
            {
                if (document!["found"]!.GetValue<bool>())
                {
                    found[document["_id"]!.GetValue<string>()] = document["_source"]!;
                }
            }
        }

        return found;
    }

    public async ValueTask DisposeAsync()
    {
        using (await _http.DeleteAsync(Name))
        {
        }

        _http.Dispose();
    }

    private static HttpClient CreateClient(Uri address)
    {
        HttpClient http = new() { BaseAddress = new Uri(address.GetComponents(UriComponents.SchemeAndServer, UriFormat.UriEscaped)) };
        if (address.UserInfo.Length > 0)
        {
            http.DefaultRequestHeaders.Authorization =
                new AuthenticationHeaderValue("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(Uri.UnescapeDataString(address.UserInfo))));
        }

        return http;
    }
}
