using Messaging.Sinks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>Adds the Elasticsearch sink to the container.</summary>
internal static class ElasticsearchSinkServiceCollectionExtensions
{
    /// <summary>Adds the sink. May be called twice.</summary>
    public static IServiceCollection AddElasticsearchSink(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISinkFeature, ElasticsearchSinkFeature>());
        return services;
    }
}
