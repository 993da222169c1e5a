using System.Collections.Concurrent;
using System.Net.Http.Json;
using System.Text.Json;
using System.Text.RegularExpressions;
using ElasticsearchServer;
using Integration.Tests.Processes;

namespace Integration.Tests.Servers;

/// <summary>
/// The strict server of <c>tests/servers/elasticsearch</c> in its own process on a free loopback port. It fails as its script says, records
/// every bulk request, and keeps the documents. A server that its test has not signalled serves the next test, emptied.
/// </summary>
internal sealed partial class StrictElasticsearch : IAsyncDisposable
{
    private static readonly ConcurrentBag<StrictElasticsearch> Idle = [];

    private readonly HttpClient _control;
    private readonly CapturedProcess _process;
    private bool _isSignalled;

    private StrictElasticsearch(CapturedProcess process, Uri address)
    {
        _process = process;
        Address = address;
        _control = new HttpClient { BaseAddress = address };
    }

    /// <summary>For tests that make the server fail: signals, kill. No other test gets the server then.</summary>
    public CapturedProcess Process
    {
        get
        {
            _isSignalled = true;
            return _process;
        }
    }

    public Uri Address { get; }

    public static async Task<StrictElasticsearch> StartAsync(ServerSettings? settings = null)
    {
        if (!Idle.TryTake(out StrictElasticsearch? server))
        {
            server = await StartProcessAsync();
        }

        if (settings is not null)
        {
            await server.SetAsync(settings);
        }

        return server;
    }

    private static async Task<StrictElasticsearch> StartProcessAsync()
    {
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
        CapturedProcess process = CapturedProcess.Start(host, Path.Combine(AppContext.BaseDirectory, "ElasticsearchServer.dll"));
        try
        {
            CapturedLine ready = await process.WaitForLineAsync("^elasticsearch listening on http://");
            return new StrictElasticsearch(process, new Uri(HttpAddress().Match(ready.Text).Value));
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    public Task SetAsync(ServerSettings settings) => PutAsync("_test/settings", settings);

    /// <summary>Replaces the script; requests are counted from 1 since the test got the server.</summary>
    public Task ScriptAsync(params FaultRule[] rules) => PutAsync("_test/script", rules);

    /// <summary>Every bulk request whose outcome was decided, in that order.</summary>
    public async Task<IReadOnlyList<BulkExchange>> HistoryAsync() => (await _control.GetFromJsonAsync<BulkExchange[]>("_test/history"))!;

    /// <summary>All documents of an index, in the order of their ids: <c>_id</c>, <c>_version</c> (times written) and <c>_source</c>.</summary>
    public async Task<IReadOnlyList<JsonElement>> DocumentsAsync(string index) =>
    [
        .. (await _control.GetStringAsync($"_test/documents/{index}"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonSerializer.Deserialize<JsonElement>(line)),
    ];

    public async ValueTask DisposeAsync()
    {
        if (!_isSignalled && await IsEmptiedAsync())
        {
            Idle.Add(this);
            return;
        }

        _control.Dispose();
        await _process.DisposeAsync();
    }

    /// <summary>False while a request of the last test is still in work, such as one that hangs by its script.</summary>
    private async Task<bool> IsEmptiedAsync()
    {
        using HttpResponseMessage answer = await _control.PostAsync("_test/reset", content: null);
        return answer.IsSuccessStatusCode;
    }

    private async Task PutAsync<T>(string path, T value)
    {
        using HttpResponseMessage answer = await _control.PutAsJsonAsync(path, value);
        answer.EnsureSuccessStatusCode();
    }

    [GeneratedRegex(@"http://127\.0\.0\.1:\d+")]
    private static partial Regex HttpAddress();
}
