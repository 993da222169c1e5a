using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sources.Channels;

/// <summary>Adds the publishers of channel routes to the container.</summary>
internal static class ChannelServiceCollectionExtensions
{
    /// <summary>Adds <see cref="IMessagePublisher"/>, keyed by the name of the route, or without a key for the default route.</summary>
    public static IServiceCollection AddChannelPublishers(this IServiceCollection services)
    {
        services.TryAddSingleton<ChannelPublishers>();
        services.TryAddSingleton<IMessagePublisher>(static provider => provider.GetRequiredService<ChannelPublishers>().Default);
        services.TryAddKeyedSingleton<IMessagePublisher>(
            KeyedService.AnyKey,
            static (provider, key) => provider.GetRequiredService<ChannelPublishers>().For(key as string ?? RouteTable<ChannelQueue>.DefaultRoute));
        return services;
    }
}
