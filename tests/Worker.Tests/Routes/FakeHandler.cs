using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Sinks;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Worker.Tests.Routes;

/// <summary>A handler that can be configured and never added.</summary>
internal sealed class FakeHandler(string name, SinkKind writes = SinkKind.Objects) : IHandlerFeature
{
    public string Name { get; } = name;

    public SinkKind Writes => writes;

    public Action<PipelineBuilder<PhysicalContext>, HandlerServices> Configure(SettingsReader settings, string route)
    {
        settings.Read<FakeFeatureOptions>($"Handlers:{Name}", route);
        return (_, _) => throw new NotSupportedException();
    }
}
