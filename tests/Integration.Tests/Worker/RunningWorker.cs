using System.Net;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Processes;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>A receiving worker process on a free port, with a client for its HTTP endpoints.</summary>
internal sealed partial class RunningWorker : IAsyncDisposable
{
    private readonly HttpClient _http;

    private RunningWorker(WorkerProcess process, Uri url)
    {
        Process = process;
        Url = url;
        _http = new HttpClient(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = url, Timeout = TimeSpan.FromSeconds(100) };
    }

    public WorkerProcess Process { get; }

    public Uri Url { get; }

    /// <summary>The common arguments of all workers in these tests.</summary>
    public static IReadOnlyList<string> CommonArguments { get; } = ["--Hosting:Url=http://127.0.0.1:0"];

    /// <summary>Arguments for this queue as the route's source, with credentials and endpoint.</summary>
    public static IReadOnlyList<string> SqsArguments(AwsEndpoint endpoint, SqsQueue queue) =>
    [
        "--Routes:archive:Source=Sqs",
        $"--Sources:Sqs:Queue={queue.Name}",
        "--Sources:Sqs:VisibilityTimeout=30s",
        "--Sources:Sqs:WaitTime=1s",
        $"--Aws:Endpoint={endpoint.ServiceUrl}",
        $"--Aws:Region={endpoint.Region}",
        $"--Aws:AccessKeyId={endpoint.AccessKey}",
        $"--Aws:SecretAccessKey={endpoint.SecretKey}",
    ];

    /// <summary>Starts a worker and returns once it receives.</summary>
    public static async Task<RunningWorker> StartAsync(
        IEnumerable<string> arguments, IEnumerable<KeyValuePair<string, string>>? environment = null, string? workingDirectory = null,
        IReadOnlyList<string>? launcher = null)
    {
        WorkerProcess process = WorkerProcess.Start([.. CommonArguments, .. arguments], environment, workingDirectory, launcher);
        try
        {
            CapturedLine listening = await process.WaitForLineAsync("Listening on http://");
            return new RunningWorker(process, new Uri(Address().Match(listening.Text).Value));
        }
        catch
        {
            await process.DisposeAsync();
            throw;
        }
    }

    /// <summary>Posts one message.</summary>
    public async Task<(HttpStatusCode Status, JsonNode Answer)> PostAsync(
        ReadOnlyMemory<byte> body, string contentType = "application/json", CancellationToken cancellationToken = default)
    {
        using var content = new ReadOnlyMemoryContent(body);
        content.Headers.TryAddWithoutValidation("Content-Type", contentType);
        using HttpResponseMessage response = await _http.PostAsync("/messages", content, cancellationToken);
        string text = await response.Content.ReadAsStringAsync(cancellationToken);
        return (response.StatusCode, JsonNode.Parse(text.Split('\n')[0])!);
    }

    /// <summary>The health page and the state of its only route.</summary>
    public async Task<(HttpStatusCode Status, JsonNode Route)> HealthAsync(string page = "ready")
    {
        using HttpResponseMessage response = await _http.GetAsync($"/healthz/{page}");
        JsonNode answer = JsonNode.Parse(await response.Content.ReadAsStringAsync())!;
        return (response.StatusCode, answer["routes"]!.AsArray().Single()!);
    }

    public async Task<string> ReadPageAsync(string path) => await (await _http.GetAsync(path)).Content.ReadAsStringAsync();

    /// <summary>Waits until the page has the status.</summary>
    public Task WaitForHealthAsync(HttpStatusCode status, string page = "ready", TimeSpan? timeout = null) =>
        Eventually.BecomesTrueAsync(async () => (await HealthAsync(page)).Status == status, $"/healthz/{page} is {status}", timeout);

    /// <summary>Waits until the worker is not ready because the sink of its only route fails.</summary>
    /// <returns>The state of the route in that same answer: a later one may show a probe, or the sink's recovery.</returns>
    public async Task<JsonNode> WaitForOutageAsync()
    {
        JsonNode? outage = null;
        await Eventually.BecomesTrueAsync(
            async () =>
            {
                (HttpStatusCode status, JsonNode route) = await HealthAsync();
                outage = route;
                return status == HttpStatusCode.ServiceUnavailable && route["breaker"]!.GetValue<string>() != "Closed";
            },
            "/healthz/ready is 503 with a breaker that is not closed");
        return outage!;
    }

    /// <summary>Stops it as a supervisor does.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> StopAsync(TimeSpan? timeout = null)
    {
        await Process.SignalAsync(ProcessSignal.Terminate);
        return await Process.WaitForExitAsync(timeout);
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await Process.DisposeAsync();
    }

    [GeneratedRegex(@"http://127\.0\.0\.1:\d+")]
    private static partial Regex Address();
}
