using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Messaging.Tests.Http.Source;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;
using Shared.Hosting;
using Shared.Net;

namespace Messaging.Tests.Http.Web;

/// <summary>The worker's whole web server, in process: Kestrel, gate, health pages and the HTTP source over a memory sink.</summary>
public sealed class WebServerTests
{
    private const string Body = """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}""";

    [Theory]
    [InlineData("Host: evil.example\nContent-Type: text/plain", "host-not-allowed", "evil.example")]
    [InlineData("Host: 127.0.0.1\nOrigin: http://evil.example\nContent-Type: text/plain", "origin-not-allowed", "http://evil.example")]
    [InlineData("Host: 127.0.0.1\nSec-Fetch-Site: cross-site\nContent-Type: text/plain", "cross-site", "cross-site")]
    [InlineData("Host: evil.example\nContent-Type: application/x-ndjson", "host-not-allowed", "evil.example")]
    public async Task Browser_OfAnotherSite_WritesNothingAndReadsNothing(string headers, string error, string value)
    {
        using IHost app = await StartAsync();
        foreach (string path in new[] { "/messages", "/messages/archive", "/healthz/live", "/healthz/ready", "/" })
        {
            string method = path.StartsWith("/messages", StringComparison.Ordinal) ? "POST" : "GET";
            await using RawConnection connection = await RawConnection.ConnectAsync(
                PortOf(app),
                $"{method} {path} HTTP/1.1\n{headers}\nContent-Length: {(method == "POST" ? Body.Length : 0)}\n\n{(method == "POST" ? Body : string.Empty)}");

            RawAnswer answer = await connection.ReadAsync();

            answer.Status.ShouldBe(403, path);
            answer.Body.ShouldContain($"\"error\":\"{error}\"");
            answer.Body.ShouldContain(value);
            answer.Body.ShouldContain("Hosting:AllowedHosts");
        }

        Received(app).ShouldBe(0);
    }

    [Fact]
    public async Task Caller_ThatIsNoBrowser_IsServed()
    {
        using IHost app = await StartAsync();
        await using RawConnection connection =
            await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost:{PortOf(app)}\nContent-Length: {Body.Length}\n\n{Body}");

        (await connection.ReadAsync()).Status.ShouldBe(200);

        // Health checks of some load balancers speak HTTP/1.0, without a Host.
        await using RawConnection check = await RawConnection.ConnectAsync(PortOf(app), "GET /healthz/ready HTTP/1.0\n\n");
        (await check.ReadAsync()).Status.ShouldBe(200);
    }

    [Theory]
    [InlineData("GET", "/page")]
    [InlineData("POST", "/message")]
    [InlineData("GET", "/favicon.ico")]
    [InlineData("POST", "/messages/archive/more")]
    public async Task Request_OfAnUnknownPath_ListsTheKnownPaths(string method, string path)
    {
        using IHost app = await StartAsync();
        await using RawConnection connection =
            await RawConnection.ConnectAsync(PortOf(app), $"{method} {path} HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(404);
        answer.Body.ShouldContain("\"error\":\"unknown-path\"");
        answer.Body.ShouldContain("POST /messages");
        answer.Body.ShouldContain("/healthz/ready");
    }

    [Fact]
    public async Task Health_BreakerOpen_ReceivesNothing()
    {
        using IHost app = await StartAsync();
        MessageRoute route = app.Services.GetRequiredService<WorkerService>().Routes.Single();
        (await HealthAsync(app)).ShouldContain("\"receiving\":true");

        route.Breaker.Refused("no such bucket");

        (await HealthAsync(app)).ShouldContain("\"receiving\":false");
    }

    [Fact]
    public async Task Caller_OfAMessageWithTheIdInAnotherCase_GetsThatName()
    {
        const string Misspelt = """{"order":{"Id":4716}}""";
        using TemporaryFolder folder = new();
        using IHost app = await StartAsync(
            $"DeadLetters:Path={folder["letters"]}", "Handlers:Archive:Template={MessageId}", "Handlers:Archive:MessageIdProperty=order.id:number");
        await using RawConnection connection = await RawConnection.ConnectAsync(
            PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost:{PortOf(app)}\nContent-Length: {Misspelt.Length}\n\n{Misspelt}");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(422);
        using JsonDocument json = JsonDocument.Parse(answer.Body);
        json.RootElement.GetProperty("description").GetString().ShouldBe(
            "The message has no id (property \"order.id\"; it has \"Id\": names are case-sensitive). Send one, "
                + "or set Handlers:Archive:MissingId to UseSourceId.");
    }

    [Fact]
    public async Task Lines_SentAgainFromResendFrom_AreStored()
    {
        using IHost app = await StartAsync("Handlers:Archive:MissingId=UseSourceId", "Handlers:Archive:Template={MessageId}", "Sources:Http:MaxRequestLines=2");
        const string Lines = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";
        const string Head = "POST /messages HTTP/1.1\nHost: localhost\nContent-Type: application/x-ndjson\nX-Message-Id: req\nContent-Length:";
        await using RawConnection connection = await RawConnection.ConnectAsync(PortOf(app), $"{Head} {Lines.Length}\n\n");
        await connection.SendAsync(Encoding.ASCII.GetBytes(Lines));
        RawAnswer refused = await connection.ReadAsync();
        refused.Status.ShouldBe(413);
        refused.Body.ShouldContain("\"resendFrom\":3,\"stored\":2");

        await connection.SendAsync($"{Head} 8\n\n");
        await connection.SendAsync("{\"n\":3}\n"u8.ToArray());

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(200, answer.Body);
        answer.Body.ShouldContain("\"stored\":1");
    }

    [Fact]
    public async Task Connections_SilentOnesAtTheLimit_HealthAndMessagesAreServed()
    {
        using IHost app = await StartAsync("Hosting:MaxConnections=20");
        List<RawConnection> silent = [];
        for (int i = 0; i < 60; i++)
        {
            silent.Add(await RawConnection.ConnectAsync(PortOf(app), string.Empty));
        }

        await using RawConnection caller =
            await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");
        (await caller.ReadAsync()).Status.ShouldBe(200);

        // Over a new connection: an idle one may be closed in favour of connections that are accepted late.
        await using RawConnection health = await RawConnection.ConnectAsync(PortOf(app), "GET /healthz/live HTTP/1.1\nHost: localhost\n\n");
        (await health.ReadToAsync("\"status\":\"healthy\"")).ShouldStartWith("HTTP/1.1 200");
        foreach (RawConnection connection in silent)
        {
            await connection.DisposeAsync();
        }
    }

    [Fact]
    public async Task Connections_AllHaveRequests_OthersReadHealthAndMetricsOnly()
    {
        // A clock that stands still: later the slowest body would give way.
        using IHost app = await StartAsync(services => services.AddSingleton<TimeProvider>(new ManualTimeProvider()), "Hosting:MaxConnections=2");
        string head = $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\nExpect: 100-continue\n\n";
        List<RawConnection> busy = [];
        for (int i = 0; i < 2; i++)
        {
            busy.Add(await RawConnection.ConnectAsync(PortOf(app), head));
            (await busy[^1].ReadAsync()).Status.ShouldBe(100);
        }

        await using RawConnection health = await RawConnection.ConnectAsync(PortOf(app), "GET /healthz/live HTTP/1.1\nHost: localhost\n\n");
        (await health.ReadToAsync("\"status\":\"healthy\"")).ShouldStartWith("HTTP/1.1 200");
        await using RawConnection metrics = await RawConnection.ConnectAsync(PortOf(app), "GET /metrics HTTP/1.1\nHost: localhost\n\n");
        (await metrics.ReadAsync()).Status.ShouldBe(200);
        await using RawConnection caller =
            await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");

        RawAnswer answer = await caller.ReadAsync();
        answer.Status.ShouldBe(503);
        answer.Body.ShouldContain("Hosting:MaxConnections");
        foreach (RawConnection connection in busy)
        {
            await connection.SendAsync(Body);
            (await connection.ReadAsync()).Status.ShouldBe(200);
            await connection.DisposeAsync();
        }
    }

    [Fact]
    public async Task Connections_SlowBodiesTakeAll_OthersAreServed()
    {
        ManualTimeProvider time = new();
        using IHost app = await StartAsync(services => services.AddSingleton<TimeProvider>(time), "Hosting:MaxConnections=20");
        List<RawConnection> slow = [];
        for (int i = 0; i < 20; i++)
        {
            slow.Add(
                await RawConnection.ConnectAsync(
                    PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\nExpect: 100-continue\n\n"));
            (await slow[^1].ReadAsync()).Status.ShouldBe(100);
        }

        time.Advance(TimeSpan.FromSeconds(2));
        for (int i = 0; i < 10; i++)
        {
            await using RawConnection caller =
                await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");
            (await caller.ReadAsync()).Status.ShouldBe(200);
            await using RawConnection health = await RawConnection.ConnectAsync(PortOf(app), "GET /healthz/ready HTTP/1.1\nHost: localhost\n\n");
            (await health.ReadToAsync("\"status\":\"healthy\"")).ShouldStartWith("HTTP/1.1 200");
        }

        await slow[0].ShouldEndAsync();
        await slow[^1].SendAsync(Body);
        (await slow[^1].ReadAsync()).Status.ShouldBe(200, "The one that has taken longest gives way, and only as many as needed.");
        foreach (RawConnection connection in slow)
        {
            await connection.DisposeAsync();
        }
    }

    [Theory]
    [InlineData("/healthz/live")]
    [InlineData("/healthz/ready")]
    [InlineData("/metrics")]
    [InlineData("/")]
    [InlineData("/api/v1/stats")]
    public async Task Head_IsAnsweredAsGetWithoutContent(string path)
    {
        using IHost app = await StartAsync();
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = new Uri(UrlOf(app)) };
        using HttpResponseMessage get = await client.GetAsync(path);
        using HttpRequestMessage request = new(HttpMethod.Head, path);

        using HttpResponseMessage head = await client.SendAsync(request);

        head.StatusCode.ShouldBe(HttpStatusCode.OK);
        head.Content.Headers.ContentType.ShouldBe(get.Content.Headers.ContentType);
        (await head.Content.ReadAsByteArrayAsync()).ShouldBeEmpty();
    }

    [Fact]
    public async Task Sink_FolderIsGone_AnswersHaveNoPathOfTheServer()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("secret-place-");
        try
        {
            string objects = Path.Combine(folder.FullName, "objects");
            using IHost app = await StartAsync(
                "Routes:archive:Sink=Directory", $"Sinks:Directory:Path={objects}", $"DeadLetters:Path={Path.Combine(folder.FullName, "letters")}",
                "Recoverability:Attempts=1");
            Directory.Delete(objects, recursive: true);
            await File.WriteAllTextAsync(objects, "no folder");
            await using RawConnection connection =
                await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");

            RawAnswer answer = await connection.ReadAsync();

            answer.Status.ShouldBeOneOf(422, 503);
            answer.Body.ShouldNotContain("secret-place");
            await connection.SendAsync("GET /healthz/ready HTTP/1.1\nHost: localhost\n\n");
            (await connection.ReadToAsync("\"routes\":[")).ShouldNotContain("secret-place");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Port_AWorkerHasIt_TheSecondNamesItsProcessAndRoutes()
    {
        using IHost app = await StartAsync();
        WebOptions options = new() { Url = new Uri(UrlOf(app)) };

        StartupException exception = await Should.ThrowAsync<StartupException>(() => PortCheck.EnsureFreeAsync(options, CancellationToken.None));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldStartWith($"Hosting:Url http://127.0.0.1:{PortOf(app)}: ");
        exception.Message.ShouldContain($"process {Environment.ProcessId}, routes archive");
    }

    [Fact]
    public async Task Port_AnotherProgramHasIt_SaysSo()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task answering = AnswerOneAsync(listener);
        WebOptions options = new() { Url = new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}") };

        StartupException exception = await Should.ThrowAsync<StartupException>(() => PortCheck.EnsureFreeAsync(options, CancellationToken.None));

        exception.Message.ShouldContain("Another program listens there.");
        await answering;
    }

    [Fact]
    public async Task Start_PortIsTaken_EndsBeforeTheRoutesAreMade()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task answering = AnswerOneAsync(listener);
        using IHost app = Build([$"Hosting:Url=http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}"]);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => app.StartAsync());

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain("address already in use");
        app.Services.GetRequiredService<WorkerService>().Routes.ShouldBeEmpty();
        await answering;
    }

    [Fact]
    public async Task Start_AddressOfAnotherMachine_SaysWhatToSet()
    {
        // TEST-NET-1 (RFC 5737): no machine has it.
        using IHost app = Build(["Hosting:Url=http://192.0.2.1:0"]);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => app.StartAsync());

        exception.Message.ShouldStartWith("Hosting:Url: ");
        exception.Message.ShouldContain("--Hosting:Url=http://127.0.0.1:8081");
    }

    [Fact]
    public async Task Start_Listening_IsLoggedAfterTheRoutesReceive()
    {
        RecordingLog log = new();
        using IHost app = Build([], log);

        await app.StartAsync();

        log.Entries.Select(entry => entry.Id.Id).Where(id => id is 1001 or 1102).ShouldBe([1001, 1102]);
        log.Entries.Single(entry => entry.Id.Id == 1102).Text.ShouldBe(
            $"Listening on {UrlOf(app)}: POST /messages, the page at /, /metrics, /healthz/live, /healthz/ready");
    }

    [Fact]
    public async Task RequestDiagnostics_OfAnotherWebApplicationInTheHost_AreStillLogged()
    {
        const string Category = "Microsoft.AspNetCore.Hosting.Diagnostics";
        RecordingLog log = new();
        using IHost app = Build([], log);
        await app.StartAsync();
        await using RawConnection connection =
            await RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");
        (await connection.ReadAsync()).Status.ShouldBe(200);

        await app.StopAsync();

        log.Entries.ShouldNotContain(
            entry => entry.Text.StartsWith("Request starting", StringComparison.Ordinal) || entry.Text.StartsWith("Execut", StringComparison.Ordinal));
        app.Services.GetRequiredService<ILoggerFactory>().CreateLogger(Category).IsEnabled(LogLevel.Information).ShouldBeTrue();
    }

    [Fact]
    public async Task Stop_MessageIsBeingStored_ItsCallerIsAnswered()
    {
        using IHost app = await StartAsync("Hosting:DrainTimeout=20s");
        string head = $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\nExpect: 100-continue\n\n";
        await using RawConnection caller = await RawConnection.ConnectAsync(PortOf(app), head);
        (await caller.ReadAsync()).Status.ShouldBe(100);

        Task stopping = app.StopAsync();
        await caller.SendAsync(Body);

        (await caller.ReadAsync()).Status.ShouldBeOneOf(200, 503);
        await stopping;
        app.Services.GetRequiredService<WorkerService>().DrainedCleanly.ShouldBeTrue();
    }

    [Fact]
    public async Task Stop_UntilTheDrainHasEnded_HealthAndMetricsAnswerAndMessagesAreRefused()
    {
        // Stands for a drain that lasts: the host stops its services together, and the server after them.
        SlowStop draining = new();
        using IHost app = await StartAsync(services => services.AddSingleton<IHostedService>(draining), "Hosting:DrainTimeout=20s");
        int port = PortOf(app);
        Task stopping = app.StopAsync();
        await draining.Begun;

        await using RawConnection ready = await RawConnection.ConnectAsync(port, "GET /healthz/ready HTTP/1.1\nHost: localhost\n\n");
        (await ready.ReadToAsync("\"status\":\"draining\"")).ShouldStartWith("HTTP/1.1 503");
        await using RawConnection live = await RawConnection.ConnectAsync(port, "GET /healthz/live HTTP/1.1\nHost: localhost\n\n");
        (await live.ReadToAsync("\"status\":\"draining\"")).ShouldStartWith("HTTP/1.1 200");
        await using RawConnection metrics = await RawConnection.ConnectAsync(port, "GET /metrics HTTP/1.1\nHost: localhost\n\n");
        (await metrics.ReadAsync()).Status.ShouldBe(200);
        await using RawConnection caller =
            await RawConnection.ConnectAsync(port, $"POST /messages HTTP/1.1\nHost: localhost\nContent-Length: {Body.Length}\n\n{Body}");
        RawAnswer refused = await caller.ReadAsync();
        refused.Status.ShouldBe(503);
        refused.Body.ShouldContain("\"stopping\"");

        draining.End();
        await stopping;
        await Should.ThrowAsync<SocketException>(() => RawConnection.ConnectAsync(port, string.Empty));
    }

    [Fact]
    public async Task Stop_AnsweredCallersAreStillSending_DoesNotWaitForThem()
    {
        using IHost app = await StartAsync("Hosting:DrainTimeout=10m", "Sources:Http:MaxMessageBytes=1000");
        app.Services.GetRequiredService<HttpSourceRegistry>().TryFind(route: null, out HttpMessageSource? source).ShouldBeTrue();
        List<RawConnection> callers = [];
        foreach (string rest in new[]
        {
            "Content-Length: 100\n\nhalf",
            "Transfer-Encoding: chunked\n\n4\nhalf\n",
            "Content-Type: application/x-ndjson\nContent-Length: 100\n\nhalf",
        })
        {
            callers.Add(await ConnectAsync(rest));
        }

        // A request whose head is read only during the stop would find its connection closed.
        await HttpSourceHost.UntilAsync(() => source!.Requests == 3);
        callers.Add(await ConnectAsync("Content-Length: 1001\n\nmore than is taken"));
        callers.Add(await ConnectAsync("Content-Encoding: br\nContent-Length: 100\n\nhalf"));
        (await callers[3].ReadAsync()).Status.ShouldBe(413);
        (await callers[4].ReadAsync()).Status.ShouldBe(415);

        await app.StopAsync().WaitAsync(TimeSpan.FromMinutes(1));

        foreach (RawConnection caller in callers.Take(3))
        {
            (await caller.ReadAsync()).Status.ShouldBe(503);
        }

        foreach (RawConnection caller in callers)
        {
            await caller.ShouldEndAsync();
            await caller.DisposeAsync();
        }

        app.Services.GetRequiredService<WorkerService>().DrainedCleanly.ShouldBeTrue();

        Task<RawConnection> ConnectAsync(string rest) => RawConnection.ConnectAsync(PortOf(app), $"POST /messages HTTP/1.1\nHost: localhost\n{rest}");
    }

    [Fact]
    public async Task Build_Transport_ReadsNoMoreThan128KiBAhead()
    {
        using IHost app = await StartAsync();
        WebServer server = new(
            app.Services.GetRequiredService<WebOptions>(),
            app.Services.GetRequiredService<WebParts>(),
            app.Services.GetRequiredService<IHostApplicationLifetime>(),
            app.Services.GetRequiredService<ILoggerFactory>());

        await using WebApplication web = server.Build();

        web.Services.GetRequiredService<IOptions<SocketTransportOptions>>().Value.MaxReadBufferSize.ShouldBe(128 << 10);
    }

    [Fact]
    public async Task Port_Free_IsLeftFree()
    {
        await PortCheck.EnsureFreeAsync(new WebOptions { Url = new Uri("http://127.0.0.1:0") }, CancellationToken.None);
        IPEndPoint free;
        using (RefusingPort port = new(new IPEndPoint(OwnLoopback(), 0)))
        {
            free = port.Endpoint;
        }

        WebOptions options = new() { Url = new Uri($"http://{free}") };

        await PortCheck.EnsureFreeAsync(options, CancellationToken.None);
        await PortCheck.EnsureFreeAsync(options, CancellationToken.None);
    }

    /// <summary>An address of this machine that no other process uses, so that none takes its released port. Only Linux has more than one.</summary>
    private static IPAddress OwnLoopback() =>
        OperatingSystem.IsLinux() ? new IPAddress([127, 64, (byte)(Environment.ProcessId >> 8), (byte)Environment.ProcessId]) : IPAddress.Loopback;

    private static async Task AnswerOneAsync(TcpListener listener)
    {
        using TcpClient client = await listener.AcceptTcpClientAsync();
        await client.GetStream().WriteAsync("SSH-2.0-OpenSSH\r\n\r\n"u8.ToArray());
        await client.GetStream().CopyToAsync(Stream.Null);
    }

    internal static Task<IHost> StartAsync(params string[] keys) => StartAsync(static _ => { }, keys);

    private static async Task<IHost> StartAsync(Action<IServiceCollection> add, params string[] keys)
    {
        IHost app = Build(keys, add: add);
        try
        {
            await app.StartAsync();
            return app;
        }
        catch
        {
            app.Dispose();
            throw;
        }
    }

    private static IHost Build(string[] keys, ILoggerProvider? log = null, Action<IServiceCollection>? add = null) => WorkerHost.Build(
        WorkerConfiguration.Build(
            configFile: null,
            ["--Hosting:Url=http://127.0.0.1:0", "--Hosting:DrainTimeout=0s", "--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory",
                .. keys.Select(key => $"--{key}")],
            readSettingsFile: false),
        logging =>
        {
            logging.ClearProviders();
            if (log is not null)
            {
                logging.AddProvider(log);
            }
        },
        add);

    private static async Task<string> HealthAsync(IHost app)
    {
        await using RawConnection connection = await RawConnection.ConnectAsync(PortOf(app), "GET /healthz/ready HTTP/1.1\nHost: localhost\n\n");
        return await connection.ReadToAsync("\"stuck\":");
    }

    internal static int PortOf(IHost app) => new Uri(UrlOf(app)).Port;

    private static string UrlOf(IHost app) => app.Services.GetRequiredService<WebServer>().Urls.Single();

    /// <summary>A service that stops when the test says so.</summary>
    private sealed class SlowStop : IHostedService
    {
        private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Begun => _begun.Task;

        public void End() => _end.SetResult();

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken)
        {
            _begun.SetResult();
            return _end.Task;
        }
    }

    private static long Received(IHost app) => app.Services.GetRequiredService<WorkerService>().Routes.Single().Metrics.Totals.Received;
}
