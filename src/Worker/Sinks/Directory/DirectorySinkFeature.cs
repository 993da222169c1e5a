using Worker.Configuration;

namespace Worker.Sinks.Directory;

/// <summary>The sink <c>Directory</c>: one file an object below a folder.</summary>
internal sealed class DirectorySinkFeature : ISinkFeature
{
    public string Name => "Directory";

    public Func<SinkServices, ISink> Configure(SettingsReader settings, string route)
    {
        DirectorySinkOptions options = settings.Read<DirectorySinkOptions>(DirectorySinkOptions.Section, route);
        if (options.Path.Contains('\0', StringComparison.Ordinal))
        {
            settings.Fail($"{DirectorySinkOptions.Section}:{nameof(options.Path)}", value: null, "must be a path.");
        }

        return services => new DirectorySink(options, services);
    }
}
