using Messaging.Handlers;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Worker.Archive;

/// <summary>Adds the archive handler to the container.</summary>
internal static class ArchiveHandlerServiceCollectionExtensions
{
    /// <summary>Adds the handler. May be called twice.</summary>
    public static IServiceCollection AddArchiveHandler(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHandlerFeature, ArchiveHandlerFeature>());
        return services;
    }
}
