using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sockets.TcpLines;

/// <summary>Adds the TCP lines source to the container.</summary>
internal static class TcpLinesSourceServiceCollectionExtensions
{
    /// <summary>May be called twice.</summary>
    public static IServiceCollection AddTcpLinesSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, TcpLinesSourceFeature>());
        return services;
    }
}
