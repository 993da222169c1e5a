using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Http.Web.Metrics;

namespace Quayside.Messaging.Hosting;

/// <summary>Adds HTTP to a worker.</summary>
public static class HttpWorkerBuilderExtensions
{
    /// <summary>
    /// Adds a web server: the source <c>Http</c> (<c>POST /messages</c>, answered after the settlement), <c>/metrics</c> for Prometheus,
    /// <c>/healthz/live</c> and <c>/healthz/ready</c>. Registers <see cref="IWebAddresses"/>, and makes the host stop its services concurrently. Settings:
    /// <c>Sources:Http</c> and <c>Hosting</c>. The package Quayside.Messaging.Console adds the worker's page.
    /// </summary>
    public static IMessageWorkerBuilder AddHttp(this IMessageWorkerBuilder builder) => builder.AddWebServer().AddSource(new HttpSourceFeature());

    /// <summary>Adds the web server without the source; safe to repeat.</summary>
    internal static IMessageWorkerBuilder AddWebServer(this IMessageWorkerBuilder builder)
    {
        IServiceCollection services = builder.Services;
        if (services.Any(static service => service.ServiceType == typeof(WebServer)))
        {
            return builder;
        }

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
        services.TryAddSingleton<WebParts>();
        services.AddSingleton(static provider => new WebServer(
            provider.GetRequiredService<WebOptions>(),
            provider.GetRequiredService<WebParts>(),
            provider.GetRequiredService<IHostApplicationLifetime>(),
            provider.GetRequiredService<ILoggerFactory>()));
        services.AddSingleton<IWebAddresses>(static provider => provider.GetRequiredService<WebServer>());
        services.AddHostedService(static provider => provider.GetRequiredService<WebServer>());

        // The drain begins with the signal, and not after other services of the host have stopped.
        services.Configure<HostOptions>(static host => host.ServicesStopConcurrently = true);
        return builder.AddSettings(WebOptions.Settings);
    }
}
