using System.Globalization;
using System.Text;
using ElasticsearchServer;
using Integration.Tests.Servers;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Elasticsearch;

/// <summary>A sink over a strict server of its own. Documents have the ids <c>d0</c>, <c>d1</c>, ….</summary>
internal sealed class SinkRun : IAsyncDisposable
{
    public const string Index = "logs";

    private SinkRun(StrictElasticsearch server, ElasticsearchSink sink)
    {
        Server = server;
        Sink = sink;
    }

    public StrictElasticsearch Server { get; }

    public ElasticsearchSink Sink { get; }

    public RecordedRejections Rejections { get; } = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <param name="script">What the server does wrong.</param>
    /// <param name="change">Changes the options, whose timeouts are short in tests.</param>
    /// <param name="settings">How the server is set up.</param>
    /// <param name="loggers">Gets the log.</param>
    public static async Task<SinkRun> StartAsync(
        FaultRule[]? script = null, Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions>? change = null, ServerSettings? settings = null,
        ILoggerFactory? loggers = null)
    {
        StrictElasticsearch server = await StrictElasticsearch.StartAsync(settings);
        await server.ScriptAsync(script ?? []);
        ElasticsearchSinkOptions options = new() { Endpoint = [server.Address.AbsoluteUri], Index = Index };
        return new SinkRun(server, ElasticsearchSinks.Open(change?.Invoke(options) ?? options, loggers));
    }

    public static string Json(int number, int padding = 0) =>
        string.Create(CultureInfo.InvariantCulture, $$"""{"n":{{number}},"p":"{{new string('p', padding)}}"}""");

    public async Task<DocumentsResult> WriteAsync(int count, int padding = 0)
    {
        await using IDocumentWriter writer = Sink.Begin(Rejections);
        for (int i = 0; i < count; i++)
        {
            writer.Open(Encoding.UTF8.GetBytes($"d{i}"));
            byte[] json = Encoding.UTF8.GetBytes(Json(i, padding));
            json.CopyTo(writer.Body.GetSpan(json.Length));
            writer.Body.Advance(json.Length);
            writer.Close();
            if (writer.IsFull && !await writer.SendAsync(Token))
            {
                break;
            }
        }

        return await writer.CompleteAsync(Token);
    }

    /// <summary>Asserts that the server holds exactly these documents, unchanged and written once each.</summary>
    public async Task ShouldHoldAsync(int count, int padding = 0, params int[] without)
    {
        var held = (await Server.DocumentsAsync(Index)).ToDictionary(document => document.GetProperty("_id").GetString()!);
        held.Count.ShouldBe(count - without.Length);
        for (int i = 0; i < count; i++)
        {
            if (!without.Contains(i))
            {
                held[$"d{i}"].GetProperty("_source").GetRawText().ShouldBe(Json(i, padding));
                held[$"d{i}"].GetProperty("_version").GetInt64().ShouldBe(1);
            }
        }

        Sink.Segments.Outstanding.ShouldBe(0);
    }

    public async ValueTask DisposeAsync()
    {
        await Sink.DisposeAsync();
        await Server.DisposeAsync();
    }
}
