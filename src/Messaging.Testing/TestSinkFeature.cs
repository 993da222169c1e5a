using Messaging.Configuration;
using Messaging.Sinks;

namespace Messaging.Testing;

/// <summary>The sink that routes of a <see cref="TestWorker"/> name as <c>Test</c>; one for all of them.</summary>
internal sealed class TestSinkFeature(MemoryObjectSink sink) : ISinkFeature
{
    public string Name => TestWorker.Sink;

    public IReadOnlyList<SettingsSection> Settings => [];

    public SinkPlan Configure(SettingsReader settings, string route) => new() { Create = _ => sink };
}
