using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Messaging.Sources.Channels;

/// <summary>Adds what publishes to channels to the container.</summary>
internal static class ChannelServiceCollectionExtensions
{
    /// <summary>Adds <see cref="IMessagePublisher"/>, keyed by a route's name, or without a key for the default one.</summary>
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
