using Worker.Configuration;
using Worker.Sinks;

namespace Worker.Tests.Routes;

/// <summary>A sink that can be configured and never made.</summary>
internal sealed class FakeSink(string name) : ISinkFeature
{
    public string Name { get; } = name;

    public Func<SinkServices, IObjectSink> Configure(SettingsReader settings, string route)
    {
        settings.Read<FakeFeatureOptions>($"Sinks:{Name}", route);
        return _ => throw new NotSupportedException();
    }
}
