using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Http.Web.Page;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds HTTP to a worker.</summary>
public static class HttpWorkerBuilderExtensions
{
    /// <summary>
    /// Adds a web server: the source <c>Http</c> (<c>POST /messages</c>, answered after the settlement), the worker's page (<c>/</c>) with its API
    /// (<c>/api/v1</c>), <c>/metrics</c> for Prometheus, <c>/healthz/live</c> and <c>/healthz/ready</c>. Registers the <see cref="WebServer"/>, and makes the
    /// host stop its services concurrently. Settings: <c>Sources:Http</c> and <c>Hosting</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddHttp(this IMessageWorkerBuilder builder)
    {
        IServiceCollection services = builder.Services;
        services.AddMessagesEndpoint();
        services.TryAddSingleton<HttpConnections>();
        services.TryAddSingleton<AllowedHosts>();
        services.TryAddSingleton<HttpResponses>();
        services.TryAddSingleton<RequestGate>();
        services.TryAddSingleton(static provider =>
        {
            // From the start, so that the first scrape has the durations of every message.
            MetricStore metrics = ActivatorUtilities.CreateInstance<MetricStore>(provider);
            metrics.RecordHistograms();
            return metrics;
        });
        services.TryAddSingleton<MetricsEndpoint>();
        services.TryAddSingleton<ApiAccess>();
        services.TryAddSingleton<WorkerHistory>();
        services.TryAddSingleton<QueueRedrives>();
        services.TryAddSingleton(static provider => new WorkerProblems(
            provider.GetRequiredService<QueueRedrives>().CommandOf,
            provider.GetRequiredService<WebOptions>().DocsUrl,
            arguments => PrintedCommand.Of(arguments, provider.GetRequiredService<WebOptions>().Url)));
        services.TryAddSingleton<WorkerStats>();
        services.TryAddSingleton<StatsEndpoints>();
        services.TryAddSingleton<DeadLetterEndpoints>();
        services.TryAddSingleton<RedriveEndpoints>();
        services.TryAddSingleton<ChangeLog>();
        services.TryAddSingleton<RouteEndpoints>();
        services.TryAddSingleton<ApiEndpoints>();
        services.TryAddSingleton<PageFiles>();
        services.TryAddSingleton<WebParts>();
        services.TryAddSingleton(static provider => new WebServer(
            provider.GetRequiredService<WebOptions>(),
            provider.GetRequiredService<WebParts>(),
            provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<ILoggerFactory>()));
        services.AddHostedService(static provider => provider.GetRequiredService<WebServer>());

        // The drain begins with the signal, and not after other services of the host have stopped.
        services.Configure<HostOptions>(static host => host.ServicesStopConcurrently = true);
        return builder.AddSettings(WebOptions.Settings).AddSource(new HttpSourceFeature());
    }
}
