using Messaging.Configuration;
using Messaging.Publishing;

namespace Messaging.DeadLetters.Redrive;

/// <summary>
/// Sends the dead letters of one store to their source again. A source with a dead-letter queue of its own offers a redrive: the class
/// that implements <see cref="Sources.ISourceFeature"/> implements this interface too.
/// </summary>
public interface IRedriveFeature
{
    /// <summary>The name for <c>redrive --from</c>, in lower case; unique among the sources of the worker.</summary>
    string RedriveName { get; }

    /// <summary>What is redriven and where to, for <c>--help</c>, such as "dead-letter queue, moved to the queue".</summary>
    string RedriveDescription { get; }

    /// <summary>Reads and checks the settings; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <returns>
    /// The function that runs the redrive; called only when there was no problem. It tries each dead letter at most once, and deletes one
    /// only after its message was accepted. Cancelled, it returns a result with <see cref="RedriveProgress.Interrupted"/>. It throws
    /// <see cref="Hosting.StartupException"/> when the store is missing, refused or unreachable.
    /// </returns>
    /// <exception cref="Hosting.StartupException">An argument is wrong.</exception>
    Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request);
}
