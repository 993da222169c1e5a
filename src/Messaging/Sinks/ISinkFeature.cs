using Messaging.Configuration;

namespace Messaging.Sinks;

/// <summary>A kind of sink that routes can name; added with <see cref="Hosting.IMessageWorkerBuilder.AddSink"/>.</summary>
public interface ISinkFeature
{
    /// <summary>The name in <c>Routes:{route}:Sink</c> and below <c>Sinks:</c>, such as <c>S3</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Sinks:{Name}</c> and the class that reads it; several classes may share it, and a sink without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>What it stores: its sinks are <see cref="IObjectSink"/> or <see cref="IDocumentSink"/> accordingly.</summary>
    SinkKind Kind => SinkKind.Objects;

    /// <summary>Reads and checks the settings for one route; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <returns>The factory of the sink, called only if the whole configuration is valid, and the properties that the rest of the route needs.</returns>
    SinkPlan Configure(SettingsReader settings, string route);
}
