using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Pipeline.Buffers;

namespace Messaging.Http.Source;

internal static class HttpSourceServiceCollectionExtensions
{
    /// <summary>Adds the endpoint of all HTTP routes; the web server maps it with <see cref="HttpSourceEndpoints.MapMessages"/>.</summary>
    public static IServiceCollection AddMessagesEndpoint(this IServiceCollection services)
    {
        services.TryAddSingleton<HttpSourceRegistry>();
        services.TryAddSingleton(static provider => new HttpAnswers(provider.GetService<BufferPool>() ?? BufferPool.Shared));
        services.TryAddSingleton<MessagesEndpoint>();
        return services;
    }
}
