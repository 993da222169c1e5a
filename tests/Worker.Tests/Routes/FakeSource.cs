using Messaging.Configuration;
using Messaging.Sources;

namespace Worker.Tests.Routes;

/// <summary>A source that can be configured and never made.</summary>
internal sealed class FakeSource(string name) : ISourceFeature
{
    public string Name { get; } = name;

    public List<string> Configured { get; } = [];

    public Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route)
    {
        Configured.Add($"{route}:{settings.Read<FakeFeatureOptions>($"Sources:{Name}", route).Speed}");
        return _ => throw new NotSupportedException();
    }
}
