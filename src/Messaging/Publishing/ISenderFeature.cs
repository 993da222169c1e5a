using Messaging.Configuration;

namespace Messaging.Publishing;

/// <summary>Lets a source's feature send messages to that source from outside. A class that implements <see cref="Sources.ISourceFeature"/> implements it too.</summary>
public interface ISenderFeature
{
    /// <summary>What <c>publish --to</c> calls it: one name or several, lower case. No other source of the worker may answer to one of them.</summary>
    IReadOnlyList<string> SenderNames { get; }

    /// <summary>Where its messages go, for <c>--help</c>, such as "straight into the queue".</summary>
    string SenderTarget { get; }

    /// <summary>
    /// True when it hands messages to a route of a running worker, and a success means that the route has stored the message.
    /// <c>redrive --from folder</c> sends through it.
    /// </summary>
    bool StoresInRoutes => false;

    /// <summary>Reads and checks the settings; problems go into the reader. Touches nothing outside the configuration.</summary>
    /// <param name="settings">Reads the settings.</param>
    /// <param name="route">The route whose settings win; null for none.</param>
    /// <param name="url">Address of the running worker as given with <c>--url</c>; null for the configured one. Queues ignore it.</param>
    /// <returns>What opens the sender. Only called when there was no problem. It throws <see cref="Hosting.StartupException"/> when the target is missing, refused or out of reach.</returns>
    /// <exception cref="Hosting.StartupException">An argument is wrong, or this build lacks what the sender needs.</exception>
    Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url);
}
