using Messaging.Configuration;

namespace Messaging.Sinks;

/// <summary>A kind of sink that routes can name. Features register themselves with the service container.</summary>
internal interface ISinkFeature
{
    /// <summary>The name in <c>Routes:{route}:Sink</c> and below <c>Sinks:</c>, such as <c>S3</c>.</summary>
    string Name { get; }

    /// <summary>What it takes: its sinks are <see cref="IObjectSink"/> or <see cref="IDocumentSink"/> accordingly.</summary>
    SinkKind Kind => SinkKind.Objects;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>What makes the sink once the whole configuration was found right, and what others have to know of it.</returns>
    SinkPlan Configure(SettingsReader settings, string route);
}
