using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Frames;

namespace Quayside.Messaging.Hosting;

/// <summary>Runs all routes: checks and starts them, and drains them within the drain timeout when the host stops.</summary>
internal sealed partial class WorkerService(
    WorkerPlan plan,
    HostingOptions hosting,
    IServiceProvider services,
    IDeadLetterStore? deadLetters,
    ILoggerFactory loggers,
    TimeProvider time,
    IHostApplicationLifetime lifetime) : IHostedService, IMessageWorker, IWorkerStatus, IRouteControl, IAsyncDisposable
{
    // No pipeline awaits one shared asynchronous method in more parts; frames are allocated only when messages suspend in all of them.
    private const int FramesAMessage = 8;

    private readonly ILogger _logger = loggers.CreateLogger<WorkerService>();
    private readonly CancellationTokenSource _now = new();
    private readonly Lock _pauseLock = new();
    private List<MessageRoute> _routes = [];
    private ProgressReport? _progress;

    // Under the lock of pauses: the drain ends pauses, and a later one would keep it from ending.
    private bool _isDraining;
    private DeadLetterWatch? _deadLetterWatch;

    public IReadOnlyList<MessageRoute> Routes => _routes;

    /// <inheritdoc/>
    public bool DrainedCleanly { get; private set; } = true;

    /// <inheritdoc/>
    public bool IsStopping => lifetime.ApplicationStopping.IsCancellationRequested;

    /// <inheritdoc/>
    public bool ReceiveOnStart { get; set; } = true;

    /// <inheritdoc/>
    public IReadOnlyList<RouteStatus> GetRoutes() => [.. _routes.Select(route => route.GetStatus())];

    /// <inheritdoc/>
    public WaitingDeadLetters? WaitingDeadLetters => _deadLetterWatch?.Waiting;

    /// <inheritdoc/>
    RouteTotals IMessageWorker.GetTotals(string route) => Find(route).Metrics.Totals;

    /// <inheritdoc/>
    public RoutePause Pause(string route, string by, string? note)
    {
        MessageRoute found = Find(route);
        lock (_pauseLock)
        {
            if (_isDraining)
            {
                throw new InvalidOperationException("The worker is stopping: its routes receive nothing any more.");
            }

            if (found.Pause is not { } pause)
            {
                pause = new RoutePause(time.GetUtcNow(), by, note);
                found.PauseReceiving(pause);
            }

            return pause;
        }
    }

    /// <inheritdoc/>
    public bool Resume(string route, string by)
    {
        MessageRoute found = Find(route);
        lock (_pauseLock)
        {
            if (found.Pause is null)
            {
                return false;
            }

            found.Resume(by);
            return true;
        }
    }

    /// <inheritdoc/>
    public void CountDeadLetters(string route) => Find(route).CountDeadLettersNow();

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        if (deadLetters is null)
        {
            throw new StartupException(
                $"The worker has no dead-letter store: what is registered as {nameof(IDeadLetterStore)} returned null.", ExitCodes.Software);
        }

        foreach (ConfigurationError warning in plan.Warnings)
        {
            LogWarning(warning);
        }

        foreach (NamedRoute removed in plan.NamedRoutes.Where(route => route.IsRemoved))
        {
            LogRemoved(removed);
        }

        PooledFrames.Reserve(FramesAMessage * plan.Routes.Sum(route => route.Slots));
        _routes = [.. plan.Routes.Select(route => new MessageRoute(route, services, deadLetters, loggers, time))];
        foreach (MessageRoute route in _routes)
        {
            await route.CheckAsync(cancellationToken);
        }

        if (plan.Routes.Any(route => route.KeepsDeadLetters))
        {
            _deadLetterWatch = new DeadLetterWatch(deadLetters, time, _logger);
            await _deadLetterWatch.StartAsync(cancellationToken);
        }

        // Receiving must stop with the signal, not only when the host stops this service.
        lifetime.ApplicationStopping.Register(StopReceiving);
        if (ReceiveOnStart)
        {
            // Only when everything else has started: a worker whose port is in use would otherwise receive, exit and be restarted,
            // and each restart would cost the messages a delivery.
            lifetime.ApplicationStarted.Register(StartReceiving);
        }
    }

    /// <inheritdoc/>
    public void StartReceiving()
    {
        if (IsStopping)
        {
            return;
        }

        foreach (MessageRoute route in _routes)
        {
            route.Start();
        }

        _progress = new ProgressReport(
            _routes.Select(route => new ReportedRoute(route.Name, () => route.Metrics.Totals, () => route.InFlight, route.Metrics.DoneWord)),
            hosting.ReportEvery, time, _logger);
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _now.Token);
        limit.CancelAfter(hosting.DrainTimeout);
        lock (_pauseLock)
        {
            _isDraining = true;
        }

        LogDraining(_routes.Sum(route => route.InFlight), DurationText.Of(hosting.DrainTimeout));
        bool[] results = await Task.WhenAll(_routes.Select(route => route.DrainAsync(limit.Token)));
        _progress?.Dispose();
        DrainedCleanly = results.All(drained => drained) && _routes.All(route => route.Metrics.LostAtStop == 0);
        foreach (MessageRoute route in _routes)
        {
            RouteTotals totals = route.Metrics.Totals;
            LogStopped(
                route.Name, totals.Received, totals.Stored, route.Metrics.DoneWord, totals.DeadLetters, totals.Returned, totals.Lost);
            if (route.Metrics.DroppedInput is { } dropped)
            {
                LogDropped(route.Name, dropped, dropped.Advice);
            }

            foreach (string report in route.HandlerReports())
            {
                LogReport(route.Name, report);
            }

            if (ApiCallReport.Describe(route.Calls, totals.Stored) is { } calls)
            {
                LogCalls(route.Name, calls);
            }
        }
    }

    /// <summary>Ends the drain immediately, on the second signal.</summary>
    public void StopNow()
    {
        try
        {
            _now.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The worker is disposed already.
        }
    }

    public async ValueTask DisposeAsync()
    {
        _progress?.Dispose();
        if (Interlocked.Exchange(ref _deadLetterWatch, null) is { } watch)
        {
            await watch.DisposeAsync();
        }

        // The container disposes this service once per registration.
        foreach (MessageRoute route in Interlocked.Exchange(ref _routes, []))
        {
            await route.DisposeAsync();
        }

        _now.Dispose();
    }

    private MessageRoute Find(string route)
    {
        foreach (MessageRoute candidate in _routes)
        {
            if (string.Equals(candidate.Name, route, StringComparison.OrdinalIgnoreCase))
            {
                return candidate;
            }
        }

        throw new ArgumentException($"The worker has no route '{route}', or has not started.", nameof(route));
    }

    private void StopReceiving()
    {
        foreach (MessageRoute route in _routes)
        {
            route.StopReceiving();
        }
    }

    [LoggerMessage(1101, LogLevel.Information, "Stopping: receiving has ended; {InFlight} message(s) in flight have up to {Limit} to finish")]
    private partial void LogDraining(int inFlight, string limit);

    [LoggerMessage(
        1103, LogLevel.Information,
        "Route {Route}: stopped; since the start {Received} received, {Stored} {Done}, {DeadLetters} dead-lettered, "
            + "{Returned} abandoned, {Lost} lost")]
    private partial void LogStopped(string route, long received, long stored, string done, long deadLetters, long returned, long lost);

    [LoggerMessage(1118, LogLevel.Warning, "Route {Route}: since the start the source has dropped input: {Dropped}. {Advice}")]
    private partial void LogDropped(string route, DroppedInput dropped, string advice);

    [LoggerMessage(1110, LogLevel.Warning, "Route {Route}: {Report}")]
    private partial void LogReport(string route, string report);

    [LoggerMessage(1104, LogLevel.Information, "Route {Route}: calls since the start: {Calls}")]
    private partial void LogCalls(string route, string calls);

    [LoggerMessage(1105, LogLevel.Warning, "{Warning}")]
    private partial void LogWarning(ConfigurationError warning);

    [LoggerMessage(1106, LogLevel.Information, "Route {Route}")]
    private partial void LogRemoved(NamedRoute route);
}
