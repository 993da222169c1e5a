using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// Logs one line per route and interval with the messages since the last line. An idle route without messages in flight logs nothing.
/// Threads: the timer's, one report at a time.
/// </summary>
internal sealed partial class ProgressReport : IDisposable
{
    private readonly (ReportedRoute Route, RouteTotals Last)[] _routes;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private readonly ITimer? _timer;
    private long _lastAt;

    /// <param name="routes">The routes.</param>
    /// <param name="every">The interval; zero for no reports.</param>
    /// <param name="time">The clock; tests drive it.</param>
    /// <param name="logger">The log.</param>
    public ProgressReport(IEnumerable<ReportedRoute> routes, TimeSpan every, TimeProvider time, ILogger logger)
    {
        _routes = [.. routes.Select(route => (route, route.Totals()))];
        _time = time;
        _logger = logger;
        _lastAt = time.GetTimestamp();
        if (every > TimeSpan.Zero)
        {
            _timer = time.CreateTimer(static report => ((ProgressReport)report!).Report(), this, every, every);
        }
    }

    /// <summary>Stops the reports; a running one may still log.</summary>
    public void Dispose() => _timer?.Dispose();

    private void Report()
    {
        try
        {
            lock (_lock)
            {
                ReportAll();
            }
        }
        catch (Exception)
        {
            // An exception on the timer's thread would end the process.
        }
    }

    private void ReportAll()
    {
        TimeSpan elapsed = _time.GetElapsedTime(_lastAt);
        _lastAt = _time.GetTimestamp();
        foreach (ref (ReportedRoute Route, RouteTotals Last) entry in _routes.AsSpan())
        {
            RouteTotals now = entry.Route.Totals();
            RouteTotals last = entry.Last;
            int inFlight = entry.Route.InFlight();
            entry.Last = now;
            if (now != last || inFlight > 0)
            {
                long stored = now.Stored - last.Stored;
                LogProgress(
                    entry.Route.Name,
                    elapsed.TotalSeconds,
                    now.Received - last.Received,
                    stored,
                    entry.Route.DoneWord,
                    stored / Math.Max(elapsed.TotalSeconds, 0.001),
                    now.DeadLetters - last.DeadLetters,
                    now.Returned - last.Returned,
                    inFlight);
            }
        }
    }

    [LoggerMessage(1107, LogLevel.Information,
        "Route {Route}: in the last {Seconds:0.#} s {Received} received, {Stored} {Done} ({PerSecond:0.#} per second), {DeadLetters} dead-lettered, "
            + "{Abandoned} abandoned; {InFlight} in flight")]
    private partial void LogProgress(
        string route, double seconds, long received, long stored, string done, double perSecond, long deadLetters, long abandoned, int inFlight);
}
