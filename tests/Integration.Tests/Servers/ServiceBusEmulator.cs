using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;

namespace Integration.Tests.Servers;

/// <summary>
/// The emulator of Azure Service Bus (tests/servers/servicebus) in its own process, with its faults. Tests share one through
/// <see cref="ServiceBusServer"/>; a test that makes its server fail starts its own.
/// </summary>
internal sealed partial class ServiceBusEmulator : IAsyncDisposable
{
    private readonly HttpClient _control;

    private ServiceBusEmulator(CapturedProcess process, string connectionString, Uri control)
    {
        Process = process;
        ConnectionString = connectionString;
        _control = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = control };
    }

    public CapturedProcess Process { get; }

    public string ConnectionString { get; }

    /// <summary>The port of AMQP.</summary>
    public int Port => PortOf(ConnectionString);

    /// <exception cref="ServerUnavailableException">Node.js is missing or too old, or the packages cannot be installed.</exception>
    public static async Task<ServiceBusEmulator> StartAsync(int port = 0)
    {
        string folder = RepositoryFolder.Combine("tests", "servers", "servicebus");
        string node = await NodeRuntime.LocateAsync();
        await NodeRuntime.InstallPackagesAsync(folder);

        CapturedProcess process = CapturedProcess.Start(node, Path.Combine(folder, "serve.mjs"), $"{port}");
        try
        {
            Match ready = Ready().Match((await process.WaitForLineAsync("^servicebus listening on ")).Text);
            return new ServiceBusEmulator(process, ready.Groups["connection"].Value, new Uri(ready.Groups["control"].Value));
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    /// <summary>As <see cref="StartAsync"/>; skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when it cannot run.</summary>
    public static async Task<ServiceBusEmulator> RequireOwnAsync(int port = 0)
    {
        try
        {
            return await StartAsync(port);
        }
        catch (ServerUnavailableException exception)
        {
            RequiredServers.Missing(exception.Message);
            throw;
        }
    }

    /// <summary>A connection string for the same server over another port, such as a proxy's.</summary>
    public static string OverPort(string connectionString, int port) => Address().Replace(connectionString, $"sb://127.0.0.1:{port}", 1);

    public static int PortOf(string connectionString) =>
        int.Parse(Address().Match(connectionString).Groups["port"].ValueSpan, System.Globalization.CultureInfo.InvariantCulture);

    /// <summary>Declares a queue, or with <c>Subscriptions</c> a topic, by the properties of deploy/servicebus/Config.json.</summary>
    public Task DeclareAsync(string path, object properties) => SendAsync(HttpMethod.Put, $"entities/{path}", properties);

    /// <summary>Removes an entity, and closes its links.</summary>
    public Task RemoveAsync(string path) => SendAsync(HttpMethod.Delete, $"entities/{path}");

    /// <summary>Counts of messages by state, credit of links, and counts of settlements.</summary>
    public Task<JsonNode> DescribeAsync(string path) => SendAsync(HttpMethod.Get, $"entities/{path}");

    /// <summary>Ends the locks of all messages, as time does: they are redelivered, with a higher delivery count.</summary>
    public Task ExpireLocksAsync(string path) => SendAsync(HttpMethod.Post, $"expire/{path}");

    /// <summary>Detaches all links that receive from an entity.</summary>
    public Task DetachAsync(string path) => SendAsync(HttpMethod.Post, $"detach/{path}");

    /// <summary>Sets faults by their names in tests/servers/servicebus/README.md; those that are not named stay as they are. Returns all.</summary>
    public Task<JsonNode> SetFaultsAsync(object faults) => SendAsync(HttpMethod.Put, "faults", faults);

    public Task ClearFaultsAsync() => SendAsync(HttpMethod.Delete, "faults");

    /// <summary>Cuts all connections.</summary>
    public Task CutAsync() => SendAsync(HttpMethod.Post, "cut");

    /// <summary>Cuts all connections, ends all locks, and refuses connections until <see cref="UpAsync"/>; messages are kept.</summary>
    public Task DownAsync() => SendAsync(HttpMethod.Post, "down");

    public Task UpAsync() => SendAsync(HttpMethod.Post, "up");

    public async ValueTask DisposeAsync()
    {
        _control.Dispose();
        await Process.DisposeAsync();
    }

    private async Task<JsonNode> SendAsync(HttpMethod method, string path, object? body = null)
    {
        using HttpRequestMessage request =
            new(method, path) { Content = body is null ? null : JsonContent.Create(body, options: JsonSerializerOptions.Default) };
        using HttpResponseMessage response = await _control.SendAsync(request);
        JsonNode answer = JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
        return response.IsSuccessStatusCode ? answer : throw new InvalidOperationException($"{method} {path}: {answer["error"]}");
    }

    [GeneratedRegex(@"listening on (?<connection>\S+); control on (?<control>\S+)")]
    private static partial Regex Ready();

    [GeneratedRegex(@"sb://127\.0\.0\.1:(?<port>\d+)")]
    private static partial Regex Address();
}
