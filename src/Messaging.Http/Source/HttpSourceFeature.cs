using Messaging.Configuration;
using Messaging.Costs.Explain;
using Messaging.Http.Sending;
using Messaging.Http.Web;
using Messaging.Publishing;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Http.Source;

/// <summary>The source that routes name as <c>Http</c>.</summary>
internal sealed class HttpSourceFeature : ISourceFeature, ISenderFeature
{
    public string Name => "Http";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<HttpSourceOptions>(HttpSourceOptions.Section)];

    // From outside the process, a channel is reached only over HTTP.
    public IReadOnlyList<string> SenderNames { get; } = ["http", "channel"];

    public string SenderTarget => "POST to a running worker";

    public bool StoresInRoutes => true;

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        HttpSourceOptions options = settings.Read<HttpSourceOptions>(HttpSourceOptions.Section, route);
        Uri url = settings.Read<WebOptions>(WebOptions.Section).Url;
        if (!url.IsLoopback)
        {
            settings.Warn(
                $"Hosting:{nameof(WebOptions.Url)}",
                url.ToString(),
                "accepts messages from other machines without TLS or authentication.",
                "Anyone who can reach the port can read and store messages: restrict access with a firewall or network policy, or put a proxy with TLS and authentication in front.");
        }

        return new SourcePlan
        {
            Create = services => new HttpMessageSource(
                services,
                options,
                services.Services.GetRequiredService<HttpSourceRegistry>(),
                services.Services.GetService<BufferPool>() ?? BufferPool.Shared),
            KeepsDeadLetters = true,
            OnComplete = CompletionEffect.Acknowledges,
            IsPushed = true,
            Explainer = new NoServiceCalls(static (load, estimate) => estimate.Add(
                "kill.unanswered",
                "HTTP messages without an answer after a kill",
                load.Concurrency,
                "messages",
                "Intake:Concurrency; their callers send them again")),
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        Uri worker = HttpSender.AddressOf(settings.Read<WebOptions>(WebOptions.Section).Url, url);
        return (services, _) => Task.FromResult<IMessageSender>(HttpSender.Open(worker, route, services));
    }
}
