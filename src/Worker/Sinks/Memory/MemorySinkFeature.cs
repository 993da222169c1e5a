using Worker.Configuration;

namespace Worker.Sinks.Memory;

/// <summary>The sink <c>Memory</c>: for tests and for profiling everything but the sink. Nothing survives the process.</summary>
internal sealed class MemorySinkFeature : ISinkFeature
{
    public string Name => "Memory";

    public Func<SinkServices, ISink> Configure(SettingsReader settings, string route)
    {
        MemorySinkOptions options = settings.Read<MemorySinkOptions>(MemorySinkOptions.Section, route);
        return _ => new MemorySink(options);
    }
}
