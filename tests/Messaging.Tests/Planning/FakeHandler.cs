using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Planning;

/// <summary>A handler that can be configured but not run.</summary>
/// <param name="name">Its name.</param>
/// <param name="writes">The kind that it writes.</param>
/// <param name="describe">Its description; null for none.</param>
internal sealed class FakeHandler(string name, SinkKind writes = SinkKind.Objects, Func<HandlerPlan, HandlerPlan>? describe = null) : IHandlerFeature
{
    public string Name { get; } = name;

    public IReadOnlyList<SettingsSection> Settings { get; init; } = [SettingsSection.Of<FakeFeatureOptions>($"Handlers:{name}")];

    public SinkKind Writes => writes;

    public HandlerPlan Configure(SettingsReader settings, string route)
    {
        settings.Read<FakeFeatureOptions>($"Handlers:{Name}", route);
        HandlerPlan plan = new() { Compose = (_, _) => throw new NotSupportedException() };
        return describe?.Invoke(plan) ?? plan;
    }
}
