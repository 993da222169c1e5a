using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Hosting;

/// <summary>Keeps the reported problems.</summary>
internal sealed partial class RouteHealth(WorkerPlan plan, ILoggerFactory loggers, TimeProvider time) : IRouteHealth
{
    private readonly ILogger _logger = loggers.CreateLogger<RouteHealth>();
    private readonly LogThrottles<(string, string)> _throttles = new(time, ReasonThrottle.Interval);
    private readonly ConcurrentDictionary<(string Route, string Part), string> _problems = new();

    public void Report(string? route, string part, string? problem)
    {
        ArgumentException.ThrowIfNullOrEmpty(part);
        string[] routes = [.. plan.Routes.Select(static known => known.Name)
            .Where(known => route is null || string.Equals(known, route, StringComparison.OrdinalIgnoreCase))];
        if (routes.Length == 0)
        {
            throw new ArgumentException($"The worker has no route '{route}'.", nameof(route));
        }

        foreach (string name in routes)
        {
            if (!string.IsNullOrWhiteSpace(problem))
            {
                bool isNew = !_problems.TryGetValue((name, part), out string? last) || last != problem;
                _problems[(name, part)] = problem;
                if (isNew && _throttles.ShouldLog((name, part), out SuppressedLines suppressed))
                {
                    SafeLog.Try(() => LogReported(name, UntrustedText.Shorten(part), UntrustedText.Shorten(problem), suppressed));
                }
            }
            else if (_problems.TryRemove((name, part), out _))
            {
                SafeLog.Try(() => LogOver(name, UntrustedText.Shorten(part)));
            }
        }
    }

    public string? ProblemOf(string route)
    {
        string all = string.Join(' ', _problems.Where(problem => problem.Key.Route == route)
            .OrderBy(static problem => problem.Key.Part, StringComparer.Ordinal).Select(static problem => $"{problem.Key.Part}: {problem.Value}"));
        return all.Length > 0 ? all : null;
    }

    [LoggerMessage(1018, LogLevel.Error, "Route {Route}: {Part} reports a problem, and the route is not ready: {Problem}{Suppressed}")]
    private partial void LogReported(string route, string part, string problem, SuppressedLines suppressed);

    [LoggerMessage(1019, LogLevel.Information, "Route {Route}: the problem that {Part} reported is over")]
    private partial void LogOver(string route, string part);
}
