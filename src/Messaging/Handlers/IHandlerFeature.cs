using Messaging.Configuration;
using Messaging.Sinks;
using Pipeline.Building;
using Pipeline.Contexts;

namespace Messaging.Handlers;

/// <summary>A kind of handler that routes can name. Features register themselves with the service container.</summary>
internal interface IHandlerFeature
{
    /// <summary>The name in <c>Routes:{route}:Handler</c> and below <c>Handlers:</c>, such as <c>Archive</c>.</summary>
    string Name { get; }

    /// <summary>The kind of sink that its results go to.</summary>
    SinkKind Writes => SinkKind.Objects;

    /// <summary>True when it writes dead letters to the folder <c>DeadLetters:Path</c>.</summary>
    bool KeepsDeadLetters => false;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>What adds the handler's parts to the route's chain, behind the physical stage's own parts, terminator included.</returns>
    Action<PipelineBuilder<PhysicalContext>, HandlerServices> Configure(SettingsReader settings, string route);
}
