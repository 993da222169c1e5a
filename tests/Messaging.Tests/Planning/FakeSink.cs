using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Planning;

/// <summary>A sink that can be configured but not created.</summary>
/// <param name="name">Its name.</param>
/// <param name="kind">The kind that it accepts.</param>
/// <param name="describe">Its description; null for none.</param>
internal sealed class FakeSink(string name, SinkKind kind = SinkKind.Objects, Func<SinkPlan, SinkPlan>? describe = null) : ISinkFeature
{
    public string Name { get; } = name;

    public IReadOnlyList<SettingsSection> Settings { get; init; } = [SettingsSection.Of<FakeFeatureOptions>($"Sinks:{name}")];

    public SinkKind Kind => kind;

    public bool KeepsProperties { get; init; }

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        settings.Read<FakeFeatureOptions>($"Sinks:{Name}", route);
        SinkPlan plan = new() { Create = _ => throw new NotSupportedException() };
        return describe?.Invoke(plan) ?? plan;
    }
}
