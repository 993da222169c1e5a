using Messaging.Configuration;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sockets.TcpLines;

/// <summary>The source that routes name as <c>TcpLines</c>.</summary>
internal sealed class TcpLinesSourceFeature : ISourceFeature
{
    public string Name => "TcpLines";

    public bool KeepsDeadLetters => true;

    public bool HoldsOnlyCopies => true;

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        TcpLinesSourceOptions options = settings.Read<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "tcp", TcpLinesSourceOptions.Section, options.Endpoint, route);
        return services => new TcpLinesMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared);
    }
}
