using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Planning;

/// <summary>A source that can be configured but not created.</summary>
/// <param name="name">Its name.</param>
/// <param name="describe">Its description; null for none.</param>
internal sealed class FakeSource(string name, Func<SourcePlan, SourcePlan>? describe = null) : ISourceFeature
{
    public string Name { get; } = name;

    public IReadOnlyList<SettingsSection> Settings { get; init; } = [SettingsSection.Of<FakeFeatureOptions>($"Sources:{name}")];

    public List<string> Configured { get; } = [];

    public SourcePlan Configure(SettingsReader settings, string route)
    {
        Configured.Add($"{route}:{settings.Read<FakeFeatureOptions>($"Sources:{Name}", route).Speed}");
        SourcePlan plan = new() { Create = _ => throw new NotSupportedException() };
        return describe?.Invoke(plan) ?? plan;
    }
}
