using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Worker.Handlers.CloudFront.Objects;

namespace Worker.Handlers.CloudFront;

/// <summary>Adds the handler of CloudFront logs to the container.</summary>
internal static class CloudFrontHandlerServiceCollectionExtensions
{
    /// <summary>Adds the handler. May be called twice.</summary>
    public static IServiceCollection AddCloudFrontHandler(this IServiceCollection services)
    {
        services.TryAddSingleton<LogObjectClients>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHandlerFeature, CloudFrontHandlerFeature>());
        return services;
    }
}
