using Messaging.Configuration;
using Messaging.Costs.Explain;

namespace Messaging.Sinks.Memory;

/// <summary>The sink <c>Memory</c>: for tests, and for profiling without sink costs. Objects are lost when the process ends.</summary>
internal sealed class MemorySinkFeature : ISinkFeature
{
    public string Name => "Memory";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<MemorySinkOptions>(MemorySinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        MemorySinkOptions options = settings.Read<MemorySinkOptions>(MemorySinkOptions.Section, route);
        return new SinkPlan
        {
            Create = _ => new MemorySink(options),
            Loss = new SinkLoss(new SettingValue<bool>($"{MemorySinkOptions.Section}:{nameof(options.AllowLoss)}", options.AllowLoss)),
            Explainer = new NoServiceCalls(),
        };
    }
}
