using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sources.Channels;

internal sealed class ChannelSourceFeature : ISourceFeature
{
    public string Name => "Channel";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<ChannelSourceOptions>(ChannelSourceOptions.Section)];

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        ChannelSourceOptions options = settings.Read<ChannelSourceOptions>(ChannelSourceOptions.Section, route);
        return new SourcePlan
        {
            Create = services => new ChannelMessageSource(
                services,
                options,
                services.Services.GetRequiredService<ChannelPublishers>(),
                services.Services.GetService<BufferPool>() ?? BufferPool.Shared),
            KeepsDeadLetters = true,
            HoldsOnlyCopies = true,
            OnComplete = CompletionEffect.None,
            CanGive = static value => value.Kind != MessageValueKind.SystemProperty,

            // Messages in flight count towards the capacity.
            MaxInFlight = new SettingValue<int>($"{ChannelSourceOptions.Section}:{nameof(options.Capacity)}", options.Capacity),
        };
    }
}

internal sealed class ChannelSourceOptions
{
    public const string Section = "Sources:Channel";

    [Setting("Messages in the channel: waiting, in flight, or waiting for redelivery; publishers wait while it is full", Min = "1", Max = "1000000",
        Consequence = "A kill loses every message in the channel.")]
    public int Capacity { get; set; } = 1_000;

    [Setting("Largest body in bytes, with the attributes published beside it; publishing a larger one throws", Min = "1", Max = "256MiB", Bytes = true,
        Consequence = "The channel can use up to Capacity times this much memory.", Advanced = true)]
    public int MaxMessageBytes { get; set; } = 1 << 20;

    [Setting(
        "Whether a shutdown first processes the messages in the channel, within the drain timeout; the rest are written to the dead letters either way",
        Advanced = true)]
    public bool DrainOnStop { get; set; } = true;
}

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
