using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sockets.Udp;

/// <summary>Adds the UDP source to the container.</summary>
internal static class UdpSourceServiceCollectionExtensions
{
    /// <summary>May be called twice.</summary>
    public static IServiceCollection AddUdpSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, UdpSourceFeature>());
        return services;
    }
}
