using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace ElasticsearchServer;

/// <summary>
/// The part of Elasticsearch that the worker needs, on loopback, as strict as the real one, with scripted faults. Below <c>/_test</c> are
/// endpoints that Elasticsearch does not have: settings, script, history, documents, reset.
/// </summary>
internal sealed class ServerHost : IAsyncDisposable
{
    private readonly WebApplication _application;

    private ServerHost(WebApplication application) => _application = application;

    public Uri Address => new(_application.Urls.Single());

    public static async Task<ServerHost> StartAsync(int port)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddRoutingCore();
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, port);
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = null;

            // Slow clients and answers are faults under test here.
            kestrel.Limits.MinRequestBodyDataRate = null;
            kestrel.Limits.MinResponseDataRate = null;
        });
        WebApplication application = builder.Build();
        Map(application);
        await application.StartAsync();
        return new ServerHost(application);
    }

    public async ValueTask DisposeAsync()
    {
        // A cancelled token: closes open connections instead of waiting for them.
        await _application.StopAsync(new CancellationToken(canceled: true));
        await _application.DisposeAsync();
    }

    internal static Task AnswerAsync(HttpContext context, ApiException exception)
    {
        context.Response.StatusCode = exception.Status;

        // As for a body that is too large: Elasticsearch sends only the status.
        return exception.Type.Length == 0 ? Task.CompletedTask : AnswerAsync(context, BulkAnswer.Error(exception.Status, exception.Type, exception.Message));
    }

    private static void Map(WebApplication application)
    {
        ServerSettings settings = new();
        IndexStore store = new();
        BulkExchanges exchanges = new();
        BulkEndpoint bulk = new(new BulkService(store), exchanges, () => settings);
        DocumentEndpoints documents = new(store);

        application.MapMethods("/_bulk", ["POST", "PUT"], bulk.HandleAsync);
        application.MapMethods("/{index}/_bulk", ["POST", "PUT"], bulk.HandleAsync);
        MapJson(application, "GET", "/", context =>
        {
            Credentials.Require(context.Request, settings);
            return settings.MayMonitor
                ? Task.FromResult(About())
                : throw new ApiException(403, "security_exception", "action [cluster:monitor/main] is unauthorized for user");
        });
        MapJson(application, "PUT", "/_ingest/pipeline/{name}", context =>
        {
            store.AddPipeline(Value(context, "name"));
            return Task.FromResult(new JsonObject { ["acknowledged"] = true });
        });
        MapJson(application, "PUT", "/{index}", context => documents.CreateAsync(context.Request, Value(context, "index")));
        MapJson(application, "DELETE", "/{index}", context => Task.FromResult(documents.Delete(Value(context, "index"))));
        MapJson(application, "POST", "/{index}/_refresh", _ => Task.FromResult(new JsonObject()));
        MapJson(application, "GET", "/{index}/_count", context => Task.FromResult(documents.Count(Value(context, "index"))));
        MapJson(application, "POST", "/{index}/_mget", context => documents.GetManyAsync(context.Request, Value(context, "index")));

        MapJson(application, "PUT", "/_test/settings", async context =>
        {
            settings = await ReadAsync<ServerSettings>(context.Request);
            return [];
        });
        MapJson(application, "PUT", "/_test/script", async context =>
        {
            exchanges.Script = await ReadAsync<FaultRule[]>(context.Request);
            return [];
        });
        MapJson(application, "POST", "/_test/reset", _ =>
        {
            exchanges.Reset();
            store.Clear();
            settings = new ServerSettings();
            return Task.FromResult(new JsonObject());
        });
        application.MapMethods(
            "/_test/history", ["GET"],
            (HttpContext context) => context.Response.WriteAsync(JsonSerializer.Serialize(exchanges.Snapshot(), JsonSerializerOptions.Web)));
        application.MapMethods(
            "/_test/documents/{index}", ["GET"], (HttpContext context) => context.Response.WriteAsync(documents.List(Value(context, "index"))));
    }

    private static void MapJson(WebApplication application, string method, string path, Func<HttpContext, Task<JsonObject>> answer) =>
        application.MapMethods(path, [method], async (HttpContext context) =>
        {
            try
            {
                await AnswerAsync(context, await answer(context));
            }
            catch (ApiException exception)
            {
                await AnswerAsync(context, exception);
            }
        });

    private static async Task<T> ReadAsync<T>(HttpRequest request)
    {
        try
        {
            return await JsonSerializer.DeserializeAsync<T>(request.Body, JsonSerializerOptions.Web) ?? throw new JsonException("null");
        }
        catch (JsonException exception)
        {
            throw new ApiException(400, "parse_exception", exception.Message);
        }
    }

    private static Task AnswerAsync(HttpContext context, JsonObject answer)
    {
        context.Response.Headers["X-Elastic-Product"] = "Elasticsearch";
        context.Response.ContentType = "application/json";
        return context.Response.WriteAsync(answer.ToJsonString());
    }

    private static string Value(HttpContext context, string name) => (string)context.Request.RouteValues[name]!;

    private static JsonObject About() => new()
    {
        ["name"] = "strict",
        ["cluster_name"] = "tests",
        ["version"] = new JsonObject { ["number"] = "8.19.0", ["build_flavor"] = "default" },
        ["tagline"] = "You Know, for Search",
    };
}
