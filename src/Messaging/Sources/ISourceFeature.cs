using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>A kind of source that routes can name; added with <see cref="Hosting.IMessageWorkerBuilder.AddSource"/>.</summary>
public interface ISourceFeature
{
    /// <summary>The name in <c>Routes:{route}:Source</c> and below <c>Sources:</c>, such as <c>Sqs</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Sources:{Name}</c> and the class that reads it; several classes may share it, and a source without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>Reads and checks the settings for one route; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <returns>The factory of the source, called only if the whole configuration is valid, and the properties that the rest of the route needs.</returns>
    SourcePlan Configure(SettingsReader settings, string route);
}
