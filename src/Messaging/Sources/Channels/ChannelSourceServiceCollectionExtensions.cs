using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sources.Channels;

/// <summary>Adds the channel source to the container.</summary>
internal static class ChannelSourceServiceCollectionExtensions
{
    /// <summary>
    /// Adds the source and its publishers: <see cref="IMessagePublisher"/> keyed by a route's name, or without a key for the
    /// default one. May be called twice.
    /// </summary>
    public static IServiceCollection AddChannelSource(this IServiceCollection services)
    {
        services.TryAddEnumerable(ServiceDescriptor.Singleton<ISourceFeature, ChannelSourceFeature>());
        services.TryAddSingleton<ChannelPublishers>();
        services.TryAddSingleton<IMessagePublisher>(static provider => provider.GetRequiredService<ChannelPublishers>().Default);
        services.TryAddKeyedSingleton<IMessagePublisher>(
            KeyedService.AnyKey,
            static (provider, key) => provider.GetRequiredService<ChannelPublishers>().For(key as string ?? RouteTable<ChannelQueue>.DefaultRoute));
        return services;
    }
}
