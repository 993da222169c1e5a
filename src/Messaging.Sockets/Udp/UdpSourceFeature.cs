using Messaging.Configuration;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sockets.Udp;

/// <summary>The source that routes name as <c>Udp</c>.</summary>
internal sealed class UdpSourceFeature : ISourceFeature
{
    public string Name => "Udp";

    public bool KeepsDeadLetters => true;

    public bool HoldsOnlyCopies => true;

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        UdpSourceOptions options = settings.Read<UdpSourceOptions>(UdpSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "udp", UdpSourceOptions.Section, options.Endpoint, route);
        return services => new UdpMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared);
    }
}
