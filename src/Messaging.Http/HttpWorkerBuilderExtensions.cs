using Messaging.Hosting;
using Messaging.Http.Source;
using Messaging.Http.Web;
using Messaging.Http.Web.Api;
using Messaging.Http.Web.Metrics;
using Messaging.Http.Web.Page;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Messaging.Http;

/// <summary>Adds HTTP to a worker.</summary>
public static class HttpWorkerBuilderExtensions
{
    /// <summary>
    /// Adds a web server with the source <c>Http</c> (<c>POST /messages</c>, answered after the message was stored), a page that
    /// shows the worker (<c>/</c>, with <c>/api/v1</c>), <c>/metrics</c> for Prometheus, and <c>/healthz/live</c> and <c>/healthz/ready</c>. The container has the <see cref="WebServer"/>. The host stops its
    /// services at the same time. Settings: <c>Sources:Http</c> and <c>Hosting</c>.
    /// </summary>
    public static IMessageWorkerBuilder AddHttp(this IMessageWorkerBuilder builder)
    {
        IServiceCollection services = builder.Services;
        services.AddMessagesEndpoint();
        services.TryAddSingleton<HttpConnections>();
        services.TryAddSingleton<AllowedHosts>();
        services.TryAddSingleton<RequestGate>();
        services.TryAddSingleton<MetricStore>();
        services.TryAddSingleton<MetricsEndpoint>();
        services.TryAddSingleton<ApiAccess>();
        services.TryAddSingleton<WorkerHistory>();
        services.TryAddSingleton<WorkerStats>();
        services.TryAddSingleton<StatsEndpoints>();
        services.TryAddSingleton<DeadLetterEndpoints>();
        services.TryAddSingleton<RedriveEndpoints>();
        services.TryAddSingleton<ApiEndpoints>();
        services.TryAddSingleton<PageFiles>();
        services.TryAddSingleton<WebParts>();
        services.TryAddSingleton(static provider => new WebServer(
            provider.GetRequiredService<WebOptions>(),
            provider.GetRequiredService<WebParts>(),
            provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<ILoggerFactory>()));
        services.AddHostedService(static provider => provider.GetRequiredService<WebServer>());

        // The server waits for answers that the draining routes produce: both must stop at the same time.
        services.Configure<HostOptions>(static host => host.ServicesStopConcurrently = true);
        return builder.AddSettings(WebOptions.Settings).AddSource(new HttpSourceFeature());
    }
}
