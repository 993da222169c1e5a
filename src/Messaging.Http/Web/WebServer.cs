using System.Diagnostics;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web.Metrics;

namespace Quayside.Messaging.Http.Web;

/// <summary>
/// The worker's web server: the HTTP source, metrics, health, and what other parts add. A port in use ends the start before anything else has started. The
/// server listens once the routes have been checked, and until they have drained: health and metrics are needed most during the drain, in which new messages
/// are refused.
/// </summary>
internal sealed class WebServer : IWebAddresses, IHostedLifecycleService, IAsyncDisposable
{
    // Bytes that Kestrel reads ahead on each connection, in addition to Sources:Http:MaxReceivingBytes. Its default, 1 MiB, would be 1,000 MiB on 1,000
    // connections. The request line and the headers, at most 8 and 32 KiB, must fit.
    private const int ReadAheadBytes = 128 << 10;

    private readonly WebOptions _options;
    private readonly WebParts _parts;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly ILoggerFactory _loggers;
    private WebApplication? _app;

    internal WebServer(WebOptions options, WebParts parts, IHostApplicationLifetime lifetime, ILoggerFactory loggers)
    {
        _options = options;
        _parts = parts;
        _lifetime = lifetime;
        _loggers = loggers;
    }

    /// <inheritdoc/>
    public IReadOnlyList<string> Urls { get; private set; } = [];

    /// <exception cref="StartupException">The port is in use, or the address is not one of this machine.</exception>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        // Registered before the callbacks of the routes: the last one runs first, and this line must follow theirs.
        _lifetime.ApplicationStarted.Register(LogListening);
        try
        {
            await PortCheck.EnsureFreeAsync(_options, cancellationToken);
        }
        catch (SocketException exception)
        {
            throw new StartupException($"Hosting:Url: {exception.Message}. Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081.");
        }
    }

    /// <exception cref="StartupException">The port is in use, or the address is not one of this machine.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _app = Build();
        try
        {
            await _app.StartAsync(cancellationToken);
        }
        catch (IOException exception) when (exception.InnerException is AddressInUseException)
        {
            throw PortCheck.Taken(_options, "Another program listens there.");
        }
        catch (IOException exception) when (exception.InnerException is SocketException)
        {
            throw new StartupException(
                $"Hosting:Url: {exception.Message} Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081 (port 0 picks a free one).");
        }
        catch (SocketException exception)
        {
            throw new StartupException($"Hosting:Url: {exception.Message}. Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081.");
        }

        Urls = [.. _app.Urls];
    }

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Limits the time for which callers may read their answers: the drain waits for them.</summary>
    public Task StopAsync(CancellationToken cancellationToken)
    {
        _parts.Connections.BeginStop();
        return Task.CompletedTask;
    }

    /// <summary>After the drain: stops accepting connections and waits for outstanding answers until the token is cancelled.</summary>
    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        _parts.Connections.EndIdle();
        return _app?.StopAsync(cancellationToken) ?? Task.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _app, null) is { } app)
        {
            await app.DisposeAsync();
        }
    }

    /// <summary>Makes a separate host for Kestrel and routing alone, which the worker starts and stops.</summary>
    internal WebApplication Build()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton<ILoggerFactory>(new Loggers(_loggers));
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Services.AddRouting();
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = Timeout.InfiniteTimeSpan);

        // For HTTP/1.1 without TLS the transport's limit applies; Kestrel's MaxRequestBufferSize does not.
        builder.Services.Configure<SocketTransportOptions>(static transport => transport.MaxReadBufferSize = ReadAheadBytes);
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.RequestHeadersTimeout = _options.FirstRequestTimeout;
            kestrel.Limits.KeepAliveTimeout = _options.KeepAliveTimeout;
            kestrel.Listen(
                _options.Address, _options.Url.Port, endpoint => endpoint.Use(next => connection => _parts.Connections.ServeAsync(connection, next)));
        });

        WebApplication app = builder.Build();
        app.Services.GetRequiredService<DiagnosticListener>().Subscribe(_parts.Responses, static name => name == HttpResponses.BadRequestEvent);
        app.Use(static next => context =>
        {
            if (HttpMethods.IsHead(context.Request.Method))
            {
                // Answered as GET (RFC 9110, section 9.3.2); Kestrel still sends no content.
                context.Request.Method = HttpMethods.Get;
            }

            return next(context);
        });
        app.UseRouting();
        app.Use(next => context => _parts.Gate.InvokeAsync(context, next));
        app.UseUnknownPath(_parts.Answers, Paths);
        app.MapHealth(_parts.Worker);
        app.MapMessages(_parts.Messages);
        app.MapGet("/metrics", _parts.Metrics.HandleAsync);
        foreach (IWebEndpoints part in _parts.Others)
        {
            part.Map(app);
        }

        return app;
    }

    private string Paths => string.Join(", ", [.. _parts.Others.Select(static part => part.Offer), "/metrics", "/healthz/live", "/healthz/ready"]);

    private void LogListening() => WebLog.Listening(
        _loggers.CreateLogger<WebServer>(), string.Join(", ", Urls), $"{(_parts.Sources.Any ? "POST /messages, " : string.Empty)}{Paths}");

    /// <summary>
    /// The host's loggers, but for the one of ASP.NET's request diagnostics: it says nothing that the worker does not, and would give each request an
    /// Activity and a log scope. Another web application in the same host keeps its own.
    /// </summary>
    private sealed class Loggers(ILoggerFactory host) : ILoggerFactory
    {
        public ILogger CreateLogger(string categoryName) =>
            categoryName is "Microsoft.AspNetCore.Hosting.Diagnostics" or "Microsoft.AspNetCore.Routing.EndpointMiddleware"
                ? NullLogger.Instance
                : host.CreateLogger(categoryName);

        public void AddProvider(ILoggerProvider provider) => host.AddProvider(provider);

        public void Dispose()
        {
            // The host disposes its loggers.
        }
    }

    /// <summary>Handles no signals: the worker does.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}

/// <summary>The parts of the web server, singletons of the worker's container.</summary>
/// <param name="Connections">Limits the connections.</param>
/// <param name="Responses">Counts the answers.</param>
/// <param name="Gate">Sees every request first.</param>
/// <param name="Answers">Answers requests without an endpoint.</param>
/// <param name="Messages">Answers <c>/messages</c>.</param>
/// <param name="Metrics">Answers <c>/metrics</c>.</param>
/// <param name="Others">What other parts answer.</param>
/// <param name="Sources">The HTTP routes.</param>
/// <param name="Worker">The worker whose health is shown.</param>
internal sealed record WebParts(
    HttpConnections Connections, HttpResponses Responses, RequestGate Gate, HttpAnswers Answers, MessagesEndpoint Messages, MetricsEndpoint Metrics,
    IEnumerable<IWebEndpoints> Others, HttpSourceRegistry Sources, IWorkerStatus Worker);
