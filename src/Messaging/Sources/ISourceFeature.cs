using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>A kind of source that routes can name. Features register themselves with the service container.</summary>
internal interface ISourceFeature
{
    /// <summary>The name in <c>Routes:{route}:Source</c> and below <c>Sources:</c>, such as <c>Sqs</c>.</summary>
    string Name { get; }

    /// <summary>
    /// Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.
    /// </summary>
    /// <returns>What makes the source once the whole configuration was found right, and what others have to know of it.</returns>
    SourcePlan Configure(SettingsReader settings, string route);
}
