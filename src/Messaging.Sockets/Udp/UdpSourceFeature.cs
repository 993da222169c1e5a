using Messaging.Configuration;
using Messaging.Costs.Explain;
using Messaging.Publishing;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sockets.Udp;

/// <summary>The source that routes name as <c>Udp</c>.</summary>
internal sealed class UdpSourceFeature : ISourceFeature, IExplainedFeature, ISenderFeature
{
    public string Name => "Udp";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<UdpSourceOptions>(UdpSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["udp"];

    public string SenderTarget => $"to the endpoint of {UdpSourceOptions.Section}";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        UdpSourceOptions options = settings.Read<UdpSourceOptions>(UdpSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "udp", UdpSourceOptions.Section, options.Endpoint, route);
        return new SourcePlan
        {
            Create = services => new UdpMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared),
            CheckBeforeStart = findings => SourceEndpoint.Check(findings, UdpSourceOptions.Section, options.Endpoint),
            KeepsDeadLetters = true,
            HoldsOnlyCopies = true,
            OnComplete = CompletionEffect.None,
        };
    }

    public IRouteExplainer Explain(SettingsReader settings, string route) => new NoServiceCalls(static (load, estimate) => estimate.Add(
        "kill.lost.udp",
        "LOST by a kill, at least",
        load.Concurrency,
        "messages",
        "Intake:Concurrency in flight, plus the messages in the kernel's buffer, in the source's channel and waiting for redelivery; a lost datagram is not sent again"));

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        CommandArguments.Check(settings, route, url);
        UdpSourceOptions options = settings.Read<UdpSourceOptions>(UdpSourceOptions.Section, route);
        return (_, _) => Task.FromResult<IMessageSender>(UdpSender.Open(options));
    }
}
