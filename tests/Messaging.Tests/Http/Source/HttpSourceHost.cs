using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Http.Source;

/// <summary>Kestrel on a free port with the endpoint mapped, and one HTTP source per route.</summary>
internal sealed class HttpSourceHost : IAsyncDisposable
{
    public const string Route = "orders";

    private readonly WebApplication _app;
    private readonly List<HttpMessageSource> _sources = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _receiving = [];

    private HttpSourceHost(WebApplication app, RecordingLog serverLog, TimeProvider? time)
    {
        _app = app;
        ServerLog = serverLog;
        Time = time ?? TimeProvider.System;
        Port = new Uri(app.Urls.Single()).Port;
        Client =
            new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = 64, UseProxy = false }) { BaseAddress = new Uri($"http://127.0.0.1:{Port}") };
    }

    public TimeProvider Time { get; }

    public int Port { get; }

    public HttpClient Client { get; }

    public TestIntake Intake { get; private set; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public RecordingLog Log { get; } = new();

    /// <summary>Warnings and errors of the web server itself, and what happens to its connections.</summary>
    public RecordingLog ServerLog { get; }

    public BufferPool Buffers { get; } = new(new PoisoningArrayPool());

    public HttpMessageSource Source => _sources[0];

    /// <summary>Starts the server with one source per route, receiving by default, and without limits of its connections unless they are given.</summary>
    public static async Task<HttpSourceHost> StartAsync(
        Action<HttpSourceOptions>? configure = null,
        string[]? routes = null,
        bool receive = true,
        TimeProvider? time = null,
        int concurrency = 64,
        IMessageIntake? intake = null,
        BufferPool? buffers = null,
        HttpConnections? connections = null,
        ILoggerFactory? loggers = null,
        bool stores = true)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        RecordingLog serverLog = new();

        // Only Kestrel's log: the host's own would allocate for each request, which the allocation tests count.
        builder.Logging.ClearProviders().AddProvider(serverLog)
            .AddFilter("Microsoft.AspNetCore", LogLevel.None)
            .AddFilter("Microsoft.AspNetCore.Server.Kestrel", LogLevel.Warning)
            .AddFilter("Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets", LogLevel.Debug);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port: 0, endpoint =>
        {
            if (connections is not null)
            {
                endpoint.Use(next => connection => connections.ServeAsync(connection, next));
            }
        }));
        builder.Services.AddMessagesEndpoint();
        // Disposed with the host: its meter would hide the counts of later tests.
        builder.Services.AddSingleton(_ => new HttpResponses(TimeProvider.System, NullLogger<HttpResponses>.Instance));
        if (buffers is not null)
        {
            builder.Services.AddSingleton(buffers);
        }

        WebApplication app = builder.Build();
        if (connections is not null)
        {
            RequestGate gate = new(
                new AllowedHosts(new WebOptions()), app.Services.GetRequiredService<HttpAnswers>(), app.Services.GetRequiredService<HttpResponses>(),
                TimeProvider.System, NullLogger<RequestGate>.Instance);
            app.Use(next => context => gate.InvokeAsync(context, next));
        }

        app.MapMessages(app.Services.GetRequiredService<MessagesEndpoint>());
        await app.StartAsync();
        HttpSourceHost host = new(app, serverLog, time) { Intake = new TestIntake(concurrency) };
        HttpSourceOptions options = new();
        configure?.Invoke(options);
        foreach (string route in routes ?? [Route])
        {
            SourceServices services = new()
            {
                Route = route,
                Services = app.Services,
                DeadLetters = host.DeadLetters,
                Loggers = loggers ?? host.Log,
                Time = host.Time,
                Concurrency = concurrency,
                Name = "http",
                Stores = stores,
            };
            HttpMessageSource source = new(services, options, app.Services.GetRequiredService<HttpSourceRegistry>(), buffers ?? host.Buffers);
            host._sources.Add(source);
            if (receive)
            {
                host.Receive(source, intake);
            }
        }

        return host;
    }

    /// <summary>Begins to receive, for a host that was started without.</summary>
    public void Receive() => _sources.ForEach(source => Receive(source, Intake));

    /// <summary>Waits until this many bytes of bodies that are still arriving have been read.</summary>
    public Task UntilTakenAsync(long bytes) => UntilAsync(() => Source.Receiving.Taken == bytes);

    /// <summary>Waits until the server has seen that a caller has ended its connection or its half of it.</summary>
    public Task UntilLeftAsync() => UntilAsync(() => ServerLog.Entries.Any(entry => entry.Id.Name is "ConnectionReset" or "ConnectionReadFin"));

    /// <summary>Polls, because the condition changes on other threads.</summary>
    public static async Task UntilAsync(Func<bool> condition)
    {
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        while (!condition())
        {
            await Task.Delay(1, limit.Token);
        }
    }

    public async Task StopReceivingAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_receiving).WaitAsync(TimeSpan.FromSeconds(60));
    }

    /// <summary>Opens a connection and sends the text, with LF written as CRLF.</summary>
    public Task<RawConnection> ConnectAsync(string text) => RawConnection.ConnectAsync(Port, text);

    /// <summary>Stops, and asserts that no message, slot or buffer is left.</summary>
    public async Task FinishAsync()
    {
        await StopReceivingAsync();
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));
        await Intake.DrainAsync(limit.Token);
        foreach (HttpMessageSource source in _sources)
        {
            await source.CloseAsync(limit.Token);
            source.Requests.ShouldBe(0);
            source.Receiving.Taken.ShouldBe(0);
        }

        Intake.Failures.ShouldBeEmpty();
        Intake.Unsettled.ShouldBe(0);
        Intake.Balance.ShouldBe(0);
        Buffers.Outstanding.ShouldBe(0);
    }

    private void Receive(HttpMessageSource source, IMessageIntake? intake) => _receiving.Add(source.ReceiveAsync(intake ?? Intake, _stop.Token));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        foreach (HttpMessageSource source in _sources)
        {
            await source.DisposeAsync();
        }

        Client.Dispose();

        // A cancelled token: closes open connections instead of waiting for them.
        await _app.StopAsync(new CancellationToken(canceled: true));
        await _app.DisposeAsync();
        _stop.Dispose();
    }
}
