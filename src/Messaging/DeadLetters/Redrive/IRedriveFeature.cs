using Messaging.Configuration;
using Messaging.Publishing;

namespace Messaging.DeadLetters.Redrive;

/// <summary>
/// Sends the dead letters of one store to their source again. A source with a dead-letter queue of its own offers it: the class that
/// implements <see cref="Sources.ISourceFeature"/> implements it too.
/// </summary>
public interface IRedriveFeature
{
    /// <summary>What <c>redrive --from</c> calls it, lower case. No other source of the worker may have the name.</summary>
    string RedriveName { get; }

    /// <summary>What is redriven and where to, for <c>--help</c>, such as "dead-letter queue, moved to the queue".</summary>
    string RedriveDescription { get; }

    /// <summary>Reads and checks the settings; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>
    /// What runs the redrive. Only called when there was no problem. It tries each dead letter at most once, deletes one only after its
    /// message was taken, and ends; a cancelled token is a result too, with <see cref="RedriveProgress.Interrupted"/>. It throws
    /// <see cref="Hosting.StartupException"/> when the store is missing, refused or out of reach.
    /// </returns>
    /// <exception cref="Hosting.StartupException">An argument is wrong.</exception>
    Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request);
}
