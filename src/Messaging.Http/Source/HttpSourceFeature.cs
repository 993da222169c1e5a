using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Sending;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Http.Source;

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
                "Anyone who can reach the port can read and store messages: restrict access with a firewall or network policy, "
                    + "or put a proxy with TLS and authentication in front.");
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
            CanGive = value => value.Kind == MessageValueKind.Attribute && KeptHeaders.CanKeep(options.Headers, value.Name!),
        };
    }

    public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
    {
        Uri worker = HttpSender.AddressOf(settings.Read<WebOptions>(WebOptions.Section).Url, url);
        return (services, _) => Task.FromResult<IMessageSender>(HttpSender.Open(worker, route, services));
    }
}

/// <summary>
/// The HTTP routes of this process by name. A source is registered from its creation on; once it is disposed it refuses messages as stopping.
/// </summary>
internal sealed class HttpSourceRegistry
{
    private readonly RouteTable<HttpMessageSource> _sources = new();

    /// <summary>The names of the routes, for error messages.</summary>
    public string Names => _sources.Names;

    public bool Any => _sources.Any;

    /// <summary>Finds a route's source; null means the only one, or the one of the route named <c>default</c>.</summary>
    public bool TryFind(string? route, [NotNullWhen(true)] out HttpMessageSource? source) => _sources.TryFind(route, out source);

    public void Add(string route, HttpMessageSource source) => _sources.Add(route, source);
}

internal static class HttpSourceServiceCollectionExtensions
{
    /// <summary>Adds the endpoint of all HTTP routes; the web server maps it with <see cref="HttpSourceEndpoints.MapMessages"/>.</summary>
    public static IServiceCollection AddMessagesEndpoint(this IServiceCollection services)
    {
        services.TryAddSingleton<HttpSourceRegistry>();
        services.TryAddSingleton(static provider => new HttpAnswers(provider.GetService<BufferPool>() ?? BufferPool.Shared));
        services.TryAddSingleton<MessagesEndpoint>();
        return services;
    }
}

internal static class HttpSourceEndpoints
{
    /// <summary>
    /// Maps <c>POST /messages</c> (the only HTTP route, or the one named <c>default</c>) and <c>POST /messages/{route}</c>. All methods are mapped, so that
    /// those other than POST are answered with 405 and JSON.
    /// </summary>
    public static IEndpointRouteBuilder MapMessages(this IEndpointRouteBuilder endpoints, MessagesEndpoint endpoint)
    {
        endpoints.Map("/messages", context => endpoint.HandleAsync(context));
        endpoints.Map("/messages/{route}", context => endpoint.HandleAsync(context, context.Request.RouteValues["route"] as string));
        return endpoints;
    }
}
