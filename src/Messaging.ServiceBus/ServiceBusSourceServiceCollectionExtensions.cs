using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.ServiceBus;

/// <summary>Adds the Service Bus source to the container.</summary>
internal static partial class ServiceBusSourceServiceCollectionExtensions
{
    /// <summary>Adds the source, and the client library's door where this build has it. May be called twice.</summary>
    public static IServiceCollection AddServiceBusSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, ServiceBusSourceFeature>());
        AddClient(services);
        return services;
    }

    /// <summary>Written in a file that only builds with the switch <c>AzureServiceBus</c> compile; elsewhere the call is left out.</summary>
    static partial void AddClient(IServiceCollection services);
}
