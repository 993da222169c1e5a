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
