using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Pipeline.Buffers;

namespace Messaging.Http.Source;

/// <summary>Adds the HTTP source to the container.</summary>
internal static class HttpSourceServiceCollectionExtensions
{
    /// <summary>Adds the source and its endpoint; the host maps it with <see cref="HttpSourceEndpoints.MapMessages"/>. May be called twice.</summary>
    public static IServiceCollection AddHttpSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, HttpSourceFeature>());
        services.TryAddSingleton<HttpSourceRegistry>();
        services.TryAddSingleton(static provider => new HttpAnswers(provider.GetService<BufferPool>() ?? BufferPool.Shared));
        services.TryAddSingleton<MessagesEndpoint>();
        return services;
    }
}
