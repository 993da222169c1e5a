using System.Net.Sockets;
using Messaging.Hosting;
using Messaging.Http.Source;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Messaging.Http.Web;

/// <summary>
/// The worker's web server: the HTTP source, the page with its API, metrics and health. A taken port ends the start before anything else has started;
/// it listens once the routes have been checked. It stops while the routes drain, since its callers wait for what these produce.
/// </summary>
public sealed class WebServer : IHostedLifecycleService, IAsyncDisposable
{
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

    /// <summary>Where it listens, such as <c>http://127.0.0.1:8080</c>; empty before it has started.</summary>
    public IReadOnlyList<string> Urls { get; private set; } = [];

    /// <exception cref="StartupException">The port is taken, or the address is not one of this machine.</exception>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        // Before the routes register theirs: what was registered last runs first, and the line is to follow those of the routes.
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

    /// <exception cref="StartupException">The port is taken, or the address is not one of this machine.</exception>
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
            throw new StartupException($"Hosting:Url: {exception.Message} Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081 (port 0 picks a free one).");
        }
        catch (SocketException exception)
        {
            throw new StartupException($"Hosting:Url: {exception.Message}. Choose an address of this machine with --Hosting:Url=http://127.0.0.1:8081.");
        }

        Urls = [.. _app.Urls];
    }

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Accepts no further connection and waits for the answers that are due, until the token ends.</summary>
    public Task StopAsync(CancellationToken cancellationToken)
    {
        _parts.Connections.BeginStop();
        return _app?.StopAsync(cancellationToken) ?? Task.CompletedTask;
    }

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _app, null) is { } app)
        {
            await app.DisposeAsync();
        }
    }

    // A host of its own for Kestrel and routing alone: the parts are the worker's, and the worker starts and stops it.
    private WebApplication Build()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(_loggers);
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Services.AddRouting();
        builder.Services.Configure<HostOptions>(static host => host.ShutdownTimeout = Timeout.InfiniteTimeSpan);
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.RequestHeadersTimeout = _options.FirstRequestTimeout;
            kestrel.Listen(_options.Address, _options.Url.Port, endpoint => endpoint.Use(next => connection => _parts.Connections.ServeAsync(connection, next)));
        });

        WebApplication app = builder.Build();
        app.Use(next => context => _parts.Gate.InvokeAsync(context, next));
        app.UseUnknownPath(_parts.Answers);
        app.MapHealth(_parts.Worker);
        app.MapMessages(_parts.Messages);
        app.MapGet("/metrics", _parts.Metrics.HandleAsync);
        _parts.Page.Map(app);
        _parts.Api.Map(app);
        return app;
    }

    private void LogListening() =>
        WebLog.Listening(_loggers.CreateLogger<WebServer>(), string.Join(", ", Urls), _parts.Sources.Any ? "POST /messages, " : string.Empty);

    /// <summary>Takes no signals: they are the worker's.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
