using Messaging.CloudFront.Objects;
using Messaging.Handlers;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.CloudFront;

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
