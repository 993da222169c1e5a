using Messaging.Configuration;
using Messaging.Costs.Explain;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sources.Channels;

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

            // Messages in flight count towards the capacity.
            MaxInFlight = new SettingValue<int>($"{ChannelSourceOptions.Section}:{nameof(options.Capacity)}", options.Capacity),
            Explainer = new NoServiceCalls((_, estimate) => estimate.Add(
                "kill.lost",
                "LOST by a kill, at most",
                options.Capacity,
                "messages",
                $"{ChannelSourceOptions.Section}:{nameof(options.Capacity)}: the channel exists only in this process")),
        };
    }
}
