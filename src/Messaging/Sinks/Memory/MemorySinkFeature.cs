using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sinks.Memory;

/// <summary>The sink <c>Memory</c>: for tests, and for profiling without sink costs. Objects are lost when the process ends.</summary>
internal sealed class MemorySinkFeature : ISinkFeature
{
    public string Name => "Memory";

    public bool KeepsProperties => true;

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<MemorySinkOptions>(MemorySinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        MemorySinkOptions options = settings.Read<MemorySinkOptions>(MemorySinkOptions.Section, route);
        return new SinkPlan
        {
            Create = _ => new MemorySink(options),
            AllowedLoss = new SettingValue<bool>($"{MemorySinkOptions.Section}:{nameof(options.AllowLoss)}", options.AllowLoss),
        };
    }
}

internal sealed class MemorySinkOptions
{
    public const string Section = "Sinks:Memory";

    [Setting(
        "Bytes of objects kept; beyond it objects are counted and dropped, and duplicates and collisions are not detected", Bytes = true, Min = "0",
        Max = "64GiB", Advanced = true)]
    public long Capacity { get; set; } = 256L << 20;

    [Setting("Allows a queue as the source, for tests and benchmarks: its messages are deleted from the queue and lost when the process ends", Advanced = true)]
    public bool AllowLoss { get; set; }
}
