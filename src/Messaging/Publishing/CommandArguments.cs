using Messaging.Configuration;

namespace Messaging.Publishing;

/// <summary>Checks <c>--route</c> and <c>--url</c> of <c>publish</c> and <c>redrive</c> for a destination that only the settings name, such as a queue.</summary>
public static class CommandArguments
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
            throw new StartupException($"--url {url}: has no effect here, because no running worker is called. Leave it out, and set the destination in the section of the source.", ExitCodes.Usage);
        }

        string[] routes = [.. settings.Configuration.GetSection("Routes").GetChildren().Select(child => child.Key).DefaultIfEmpty(NamedRoute.BuiltIn)];
        if (route is not null && !routes.Contains(route, StringComparer.OrdinalIgnoreCase))
        {
            throw new StartupException($"--route {route}: there is no such route. {SettingsReader.Hint(route, routes)}", ExitCodes.Usage);
        }
    }
}
