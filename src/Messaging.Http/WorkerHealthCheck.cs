using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.Http;

/// <summary>Adds the worker to the health checks of a host of your own.</summary>
public static class WorkerHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that is healthy while every route is ready, as <c>GET /healthz/ready</c> is. Its description names each other route and its problem.
    /// </summary>
    /// <param name="builder">From <c>AddHealthChecks()</c>, in a host with <c>AddMessageWorker</c>.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="tags">Tags to filter checks by, such as <c>ready</c>. Do not use it for liveness: a restart helps none of it.</param>
    public static IHealthChecksBuilder AddMessageWorker(this IHealthChecksBuilder builder, string name = "message-worker", params IEnumerable<string> tags)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(
            name, static services => new WorkerHealthCheck(services.GetRequiredService<IWorkerStatus>()), failureStatus: null, tags));
    }
}

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
