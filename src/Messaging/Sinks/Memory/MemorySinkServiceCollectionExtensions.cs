using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sinks.Memory;

/// <summary>Adds the Memory sink to the container.</summary>
internal static class MemorySinkServiceCollectionExtensions
{
    /// <summary>Adds the sink. May be called twice.</summary>
    public static IServiceCollection AddMemorySink(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISinkFeature, MemorySinkFeature>());
        return services;
    }
}
