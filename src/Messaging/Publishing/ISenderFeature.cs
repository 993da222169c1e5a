using System.Buffers;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Publishing;

/// <summary>Sends messages to a source from outside the worker. A class that implements <see cref="Sources.ISourceFeature"/> may implement it too.</summary>
public interface ISenderFeature
{
    /// <summary>Its names for <c>publish --to</c>: one or several, in lower case, unique among the sources of the worker.</summary>
    IReadOnlyList<string> SenderNames { get; }

    /// <summary>Its destination, for <c>--help</c>, such as "directly to the queue".</summary>
    string SenderTarget { get; }

    /// <summary>
    /// True when it sends to a route of a running worker and a success means that the route has stored the message.
    /// <c>redrive --from folder</c> uses it.
    /// </summary>
    bool StoresInRoutes => false;

    /// <summary>Reads and checks the settings; reports problems to the reader. Accesses nothing but the configuration.</summary>
    /// <param name="settings">The reader of the settings.</param>
    /// <param name="route">The route whose settings override the general ones; null for none.</param>
    /// <param name="url">Address of the running worker, from <c>--url</c>; null for the configured one. Queues ignore it.</param>
    /// <returns>A function that opens the sender, called only if there was no problem. It throws <see cref="StartupException"/> when the target is missing,
    /// refuses access or is unreachable.</returns>
    /// <exception cref="StartupException">An argument is invalid, or this build lacks a feature that the sender needs.</exception>
    Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url);
}

/// <summary>
/// Generates sample messages for a handler: <c>publish</c> sends them when no body is given. A class that implements
/// <see cref="Handlers.IHandlerFeature"/> may implement it too. With several handlers, the one that was added first is used.
/// </summary>
internal interface ISampleFeature
{
    /// <summary>Writes the body of one message. Threads: any number concurrently.</summary>
    /// <param name="body">Where the body is written; borrowed for the call.</param>
    /// <param name="index">The message's number, from 0; it selects the values.</param>
    /// <param name="id">The message's id.</param>
    /// <param name="date">The time of creation.</param>
    void WriteSample(IBufferWriter<byte> body, int index, string id, DateTimeOffset date);
}

/// <summary>What a part of a command may use.</summary>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Output">The command's standard output, for its result. Any thread may write to it.</param>
/// <param name="Error">Its standard error, for status lines, such as that a sender waits. Any thread may write to it.</param>
public sealed record CommandServices(TimeProvider Time, TextWriter Output, TextWriter Error);

/// <summary>
/// Checks <c>--route</c> and <c>--url</c> of <c>publish</c> and <c>redrive</c> for a destination that only the settings name, such as a queue.
/// </summary>
internal static class CommandArguments
{
    /// <summary>Refuses an address, which would have no effect, and a route that is not configured, whose settings would be those of another one.</summary>
    /// <param name="settings">The reader of the settings.</param>
    /// <param name="route">The argument of <c>--route</c>; null for none.</param>
    /// <param name="url">The argument of <c>--url</c>; null for none.</param>
    /// <exception cref="StartupException">An argument is refused.</exception>
    public static void Check(SettingsReader settings, string? route, string? url)
    {
        ArgumentNullException.ThrowIfNull(settings);
        if (url is not null)
        {
            throw new StartupException(
                $"--url {SettingText.Mask(url)}: has no effect here, because no running worker is called. Leave it out, "
                    + "and set the destination in the section of the source.", ExitCodes.Usage);
        }

        string[] routes = [.. settings.Configuration.GetSection("Routes").GetChildren().Select(child => child.Key).DefaultIfEmpty(NamedRoute.BuiltIn)];
        if (route is not null && !routes.Contains(route, StringComparer.OrdinalIgnoreCase))
        {
            throw new StartupException($"--route {route}: there is no such route. {SettingsReader.Hint(route, routes)}", ExitCodes.Usage);
        }
    }
}
