using Microsoft.Extensions.Diagnostics.HealthChecks;
using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.Http;

/// <summary>Healthy while every route is ready.</summary>
internal sealed class WorkerHealthCheck(IWorkerStatus worker) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        IReadOnlyList<RouteStatus> routes = worker.GetRoutes();
        string problems = worker.IsStopping ? "The worker is stopping."
            : routes.Count == 0 ? "The worker has not started."
            : string.Join(' ', routes.Where(static route => !route.IsReady)
                .Select(static route => $"Route {route.Name}: {PathFreeText.Of(route.Problem ?? route.LastFailure ?? "it does not receive.")}"));
        return Task.FromResult(problems.Length == 0
            ? HealthCheckResult.Healthy($"{routes.Count} route(s) are ready.")
            : new HealthCheckResult(context.Registration.FailureStatus, problems));
    }
}
