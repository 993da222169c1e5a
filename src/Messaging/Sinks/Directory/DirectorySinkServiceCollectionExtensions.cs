using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sinks.Directory;

/// <summary>Adds the Directory sink to the container.</summary>
internal static class DirectorySinkServiceCollectionExtensions
{
    /// <summary>Adds the sink. May be called twice.</summary>
    public static IServiceCollection AddDirectorySink(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISinkFeature, DirectorySinkFeature>());
        return services;
    }
}
