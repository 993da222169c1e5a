using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Worker;

namespace Integration.Tests.Observability;

/// <summary>docs/reference/openapi.json matches a running worker.</summary>
public sealed partial class OpenApiTests
{
    private const string Token = "a-token-of-the-tests";

    private static readonly JsonNode Document = JsonNode.Parse(File.ReadAllText(RepositoryFolder.Combine("docs", "reference", "openapi.json")))!;

    [Fact]
    public void Paths_AreThoseOfTheSource()
    {
        string[] mapped = [.. new[] { "Messaging.Http", "Messaging.Console" }
            .SelectMany(project => Directory.EnumerateFiles(RepositoryFolder.Combine("src", project), "*.cs", SearchOption.AllDirectories))
            .SelectMany(file => Mapping.Matches(File.ReadAllText(file)))
            .Select(match => (match.Groups["path"].Value.Replace("{Root}", "/api/v1", StringComparison.Ordinal), match.Groups["verb"].Value))
            .SelectMany(
                found => (found.Item2.Length == 0 ? (string[])["options", "post"] : [found.Item2.ToLowerInvariant()]).Select(verb => $"{verb} {found.Item1}"))
            .Order(StringComparer.Ordinal)];

        string[] documented = [.. Document["paths"]!.AsObject()
            .SelectMany(path => path.Value!.AsObject().Where(verb => verb.Key != "parameters").Select(verb => $"{verb.Key} {path.Key}"))
            .Order(StringComparer.Ordinal)];

        documented.ShouldBe(mapped);
    }

    [Fact]
    public async Task Answers_OfAWorker_FitTheirSchemas()
    {
        string folder = Directory.CreateTempSubdirectory("openapi-").FullName;
        await using RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={Path.Combine(folder, "objects")}",
                $"--DeadLetters:Path={Path.Combine(folder, "letters")}", "--Sources:Http:WebhookOrigins=eventgrid.azure.net", $"--Hosting:Token={Token}"]);
        using HttpClient client = new() { BaseAddress = worker.Url };
        client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Token);

        await CheckAsync(
            client, "post", "/messages", body: """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}""");
        await CheckAsync(client, "post", "/messages/{route}", "/messages/archive", "{");
        await CheckAsync(client, "post", "/messages", body: string.Empty);
        (await CheckAsync(client, "post", "/messages", body: "[{}]"))["hint"].ShouldNotBeNull();
        await CheckAsync(client, "options", "/messages");
        using (HttpRequestMessage handshake =
            new(HttpMethod.Options, "/messages/archive") { Headers = { { "WebHook-Request-Origin", "eventgrid.azure.net" } } })
        {
            using HttpResponseMessage allowed = await client.SendAsync(handshake);
            Document["paths"]!["/messages/{route}"]!["options"]!["responses"]![$"{(int)allowed.StatusCode}"].ShouldNotBeNull();
            allowed.Headers.Contains("WebHook-Allowed-Origin").ShouldBeTrue();
        }

        JsonNode letters = await CheckAsync(client, "get", "/api/v1/dead-letters");
        string name = Uri.EscapeDataString(letters["letters"]![0]!["name"]!.GetValue<string>());
        await CheckAsync(client, "get", "/api/v1/dead-letters", "/api/v1/dead-letters?after=none");
        await CheckAsync(client, "get", "/api/v1/dead-letters/letter", $"/api/v1/dead-letters/letter?name={name}");
        await CheckAsync(client, "get", "/api/v1/dead-letters/letter");
        await CheckAsync(client, "get", "/api/v1/dead-letters/body", "/api/v1/dead-letters/body?name=none");
        foreach (string path in (string[])["/healthz/live", "/healthz/ready", "/api/v1/stats", "/api/v1/history", "/api/v1/config", "/api/v1/redrive"])
        {
            await CheckAsync(client, "get", path);
        }

        await CheckAsync(client, "post", "/api/v1/dead-letters/discard", body: """{"filter":1}""");
        await RunAsync(client, "/api/v1/dead-letters/discard", """{"reason":"malformed-json","dryRun":true}""");
        await CheckAsync(client, "post", "/api/v1/redrive", body: """{"names":1}""");
        await CheckAsync(client, "post", "/api/v1/redrive", body: """{"queue":{"route":"archive"},"all":true}""");
        await CheckAsync(client, "post", "/api/v1/dead-letters/move", body: """{"all":true}""");
        await CheckAsync(client, "post", "/api/v1/dead-letters/move", body: """{"queue":{"route":"archive"},"all":true}""");
        await RunAsync(client, "/api/v1/redrive", """{"reason":"malformed-json"}""");
        await CheckAsync(client, "delete", "/api/v1/redrive");
        await CheckAsync(client, "post", "/api/v1/routes/pause", body: "{}");
        await CheckAsync(client, "post", "/api/v1/routes/pause", body: """{"route":"other"}""");
        await CheckAsync(client, "post", "/api/v1/routes/pause", body: """{"route":"archive","note":"why"}""");
        await CheckAsync(client, "get", "/healthz/ready");
        await CheckAsync(client, "get", "/api/v1/stats");
        await CheckAsync(client, "post", "/api/v1/routes/resume", body: """{"route":"archive"}""");
        client.DefaultRequestHeaders.Authorization = null;
        await CheckAsync(client, "delete", "/api/v1/redrive");
    }

    /// <summary>Starts a run over dead letters, and waits for its end.</summary>
    private static async Task RunAsync(HttpClient client, string path, string body)
    {
        await CheckAsync(client, "post", path, body: body);
        string state;
        do
        {
            state = (await CheckAsync(client, "get", "/api/v1/redrive"))["state"]!.GetValue<string>();
        }
        while (state != "done");
    }

    private static async Task<JsonNode> CheckAsync(HttpClient client, string verb, string path, string? address = null, string? body = null)
    {
        using HttpRequestMessage request = new(HttpMethod.Parse(verb), address ?? path)
        { Content = body is null ? null : new StringContent(body, new MediaTypeHeaderValue("application/json")) };
        using HttpResponseMessage answer = await client.SendAsync(request);
        string text = await answer.Content.ReadAsStringAsync();
        string what = $"{verb} {request.RequestUri} answered {(int)answer.StatusCode} {text}";

        JsonNode documented = Document["paths"]![path]![verb]!["responses"]![$"{(int)answer.StatusCode}"].ShouldNotBeNull(what);
        JsonNode schema = Resolve(documented)["content"]!["application/json"].ShouldNotBeNull(what)["schema"]!;
        JsonNode json = JsonNode.Parse(text)!;
        Problems(json, schema, "$").ShouldBeEmpty(what);
        return json;
    }

    /// <summary>The mismatches, by the subset of JSON Schema that the document uses.</summary>
    private static IEnumerable<string> Problems(JsonNode? value, JsonNode given, string at)
    {
        JsonNode schema = Resolve(given);
        if (schema["anyOf"] is JsonArray options)
        {
            return options.Any(option => !Problems(value, option!, at).Any()) ? [] : [$"{at} fits none"];
        }

        string[] types = schema["type"] is JsonArray several ? [.. several.Select(type => type!.GetValue<string>())] : [schema["type"]!.GetValue<string>()];
        if (!types.Contains(TypeOf(value)) && !(TypeOf(value) == "integer" && types.Contains("number")))
        {
            return [$"{at} is {TypeOf(value)}, not {string.Join(" or ", types)}"];
        }

        if (schema["enum"] is JsonArray words && !words.Any(word => JsonNode.DeepEquals(word, value)))
        {
            return [$"{at} is none of {words.ToJsonString()}"];
        }

        if (value is JsonArray items)
        {
            return items.SelectMany((item, index) => schema["items"] is { } element ? Problems(item, element, $"{at}[{index}]") : []);
        }

        return value is JsonObject properties ? OfObject(properties, schema, at) : [];
    }

    private static IEnumerable<string> OfObject(JsonObject value, JsonNode schema, string at)
    {
        JsonObject known = schema["properties"]?.AsObject() ?? [];
        foreach (JsonNode? name in schema["required"]?.AsArray() ?? [])
        {
            if (!value.ContainsKey(name!.GetValue<string>()))
            {
                yield return $"{at}.{name} is missing";
            }
        }

        foreach ((string name, JsonNode? member) in value)
        {
            JsonNode? expected = known[name] ?? (schema["additionalProperties"] is JsonObject other ? other : null);
            if (expected is null && schema["additionalProperties"]?.GetValueKind() == JsonValueKind.False)
            {
                yield return $"{at}.{name} is not documented";
            }

            foreach (string problem in expected is null ? [] : Problems(member, expected, $"{at}.{name}"))
            {
                yield return problem;
            }
        }
    }

    private static string TypeOf(JsonNode? value) => value?.GetValueKind() switch
    {
        null => "null",
        JsonValueKind.True or JsonValueKind.False => "boolean",
        JsonValueKind.Number => value.ToJsonString().AsSpan().ContainsAny('.', 'E', 'e') ? "number" : "integer",
        JsonValueKind kind => kind.ToString().ToLowerInvariant(),
    };

    private static JsonNode Resolve(JsonNode schema) =>
        schema["$ref"] is { } reference ? reference.GetValue<string>().Split('/').Skip(1).Aggregate(Document, (node, name) => node[name]!) : schema;

    [GeneratedRegex("""\.Map(?<verb>Get|Post|Delete)?\(\$?"(?<path>(?:\{Root\})?/(?!\{name\})[^"]+)""")]
    private static partial Regex Mapping { get; }
}
