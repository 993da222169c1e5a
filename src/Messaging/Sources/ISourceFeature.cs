using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>A kind of source that routes can name. Features register themselves with the service container.</summary>
internal interface ISourceFeature
{
    /// <summary>The name in <c>Routes:{route}:Source</c> and below <c>Sources:</c>, such as <c>Sqs</c>.</summary>
    string Name { get; }

    /// <summary>True when its dead letters go to the folder <c>DeadLetters:Path</c>.</summary>
    bool KeepsDeadLetters => false;

    /// <summary>True when its messages may exist nowhere but in this process.</summary>
    bool HoldsOnlyCopies => false;

    /// <summary>
    /// Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.
    /// </summary>
    /// <returns>What makes the source once the whole configuration was found right. Only called when there was no problem.</returns>
    Func<SourceServices, IMessageSource> Configure(SettingsReader settings, string route);
}
