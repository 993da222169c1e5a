using Microsoft.Extensions.DependencyInjection;
using Pipeline.Buffers;
using Worker.Configuration;

namespace Worker.Sources.Http;

/// <summary>The source that routes name as <c>Http</c>.</summary>
internal sealed class HttpSourceFeature : ISourceFeature
{
    public string Name => "Http";

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        HttpSourceOptions options = settings.Read<HttpSourceOptions>(HttpSourceOptions.Section, route);
        return services => new HttpMessageSource(
            services,
            options,
            services.Services.GetRequiredService<HttpSourceRegistry>(),
            services.Services.GetService<BufferPool>() ?? BufferPool.Shared);
    }
}
