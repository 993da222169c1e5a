using Messaging.Configuration;
using Messaging.Sinks;

namespace Worker.Tests.Routes;

/// <summary>A sink that can be configured and never made.</summary>
internal sealed class FakeSink(string name, SinkKind kind = SinkKind.Objects) : ISinkFeature
{
    public string Name { get; } = name;

    public SinkKind Kind => kind;

    public Func<SinkServices, ISink> Configure(SettingsReader settings, string route)
    {
        settings.Read<FakeFeatureOptions>($"Sinks:{Name}", route);
        return _ => throw new NotSupportedException();
    }
}
