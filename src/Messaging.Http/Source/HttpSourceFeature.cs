using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Sources;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;

namespace Messaging.Http.Source;

/// <summary>The source that routes name as <c>Http</c>.</summary>
internal sealed class HttpSourceFeature : ISourceFeature
{
    public string Name => "Http";

    public bool KeepsDeadLetters => true;

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        HttpSourceOptions options = settings.Read<HttpSourceOptions>(HttpSourceOptions.Section, route);
        Uri url = settings.Read<HostingOptions>("Hosting").Url;
        if (!url.IsLoopback)
        {
            settings.Warn(
                $"Hosting:{nameof(HostingOptions.Url)}",
                SettingText.MaskUserInfo(url.ToString()),
                "accepts messages from other machines without TLS or authentication.",
                "Anyone who reaches the port can read what is sent and store messages: restrict it by firewall or network policy, or put a proxy with both in front.");
        }

        return services => new HttpMessageSource(
            services,
            options,
            services.Services.GetRequiredService<HttpSourceRegistry>(),
            services.Services.GetService<BufferPool>() ?? BufferPool.Shared);
    }
}
