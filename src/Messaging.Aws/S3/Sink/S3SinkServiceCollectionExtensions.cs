using Messaging.Sinks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Aws.S3.Sink;

/// <summary>Adds the S3 sink to the container.</summary>
internal static class S3SinkServiceCollectionExtensions
{
    /// <summary>Adds the sink. May be called twice.</summary>
    public static IServiceCollection AddS3Sink(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISinkFeature, S3SinkFeature>());
        return services;
    }
}
