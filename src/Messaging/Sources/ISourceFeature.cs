using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>A kind of source that routes can name; added by <see cref="Hosting.IMessageWorkerBuilder.AddSource"/>.</summary>
public interface ISourceFeature
{
    /// <summary>The name in <c>Routes:{route}:Source</c> and below <c>Sources:</c>, such as <c>Sqs</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Sources:{Name}</c> and the class that reads it; several classes may share it, and a source without settings has none.</summary>
    IReadOnlyList<SettingsSection> Settings { get; }

    /// <summary>
    /// Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.
    /// </summary>
    /// <returns>What makes the source once the whole configuration was found right, and what others have to know of it.</returns>
    SourcePlan Configure(SettingsReader settings, string route);
}
