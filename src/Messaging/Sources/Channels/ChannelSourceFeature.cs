using Messaging.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sources.Channels;

/// <summary>The source that routes name as <c>Channel</c>.</summary>
internal sealed class ChannelSourceFeature : ISourceFeature
{
    public string Name => "Channel";

    public bool KeepsDeadLetters => true;

    public bool HoldsOnlyCopies => true;

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        ChannelSourceOptions options = settings.Read<ChannelSourceOptions>(ChannelSourceOptions.Section, route);
        return services => new ChannelMessageSource(
            services,
            options,
            services.Services.GetRequiredService<ChannelPublishers>(),
            services.Services.GetService<BufferPool>() ?? BufferPool.Shared);
    }
}
