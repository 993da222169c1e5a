using Messaging.Configuration;
using Messaging.Costs.Explain;
using Messaging.Publishing;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Sockets.TcpLines;

/// <summary>The source that routes name as <c>TcpLines</c>.</summary>
internal sealed class TcpLinesSourceFeature : ISourceFeature, IExplainedFeature, ISenderFeature
{
    public string Name => "TcpLines";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section)];

    public IReadOnlyList<string> SenderNames { get; } = ["tcp"];

    public string SenderTarget => $"to the endpoint of {TcpLinesSourceOptions.Section}";

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        TcpLinesSourceOptions options = settings.Read<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section, route);
        SourceEndpoint.Claim(settings, "tcp", TcpLinesSourceOptions.Section, options.Endpoint, route);
        return new SourcePlan
        {
            Create = services => new TcpLinesMessageSource(services, options, services.Services.GetService<BufferPool>() ?? BufferPool.Shared),
            CheckBeforeStart = findings =>
            {
                SourceEndpoint.Check(findings, TcpLinesSourceOptions.Section, options.Endpoint);
                _ = TlsCertificate.Load(options);
            },
            KeepsDeadLetters = true,
            HoldsOnlyCopies = true,
            OnComplete = CompletionEffect.Acknowledges,
        };
    }

    public IRouteExplainer Explain(SettingsReader settings, string route) => new NoServiceCalls(static (load, estimate) => estimate.Add(
        "kill.lost.tcp",
        "lines in flight at a kill",
        load.Concurrency,
        "messages",
        "Intake:Concurrency; with Sources:TcpLines:Acknowledge their senders have no answer and send them again; without it they are LOST, with up to 128 KiB read ahead per connection"));

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        CommandArguments.Check(settings, route, url);
        TcpLinesSourceOptions options = settings.Read<TcpLinesSourceOptions>(TcpLinesSourceOptions.Section, route);
        return (_, cancellationToken) => TcpSender.OpenAsync(options, cancellationToken);
    }
}
