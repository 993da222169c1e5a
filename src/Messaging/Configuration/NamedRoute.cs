using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;

namespace Quayside.Messaging.Configuration;

/// <summary>
/// A route that the configuration names, and its origins. Any configured route replaces the built-in one. A route that is set to null or
/// left empty is removed, unless a provider of higher priority configures it; then the keys of all providers apply.
/// </summary>
/// <param name="Name">The route's name.</param>
/// <param name="Origins">The providers that configure it, or that remove it: files, the environment, the command line. Empty for the built-in route.</param>
/// <param name="IsRemoved">True when it does not run.</param>
internal sealed record NamedRoute(string Name, IReadOnlyList<string> Origins, bool IsRemoved)
{
    /// <summary>The route of a worker without configured routes, with the defaults of <see cref="RouteOptions"/>.</summary>
    internal const string BuiltIn = "archive";

    /// <summary>The names that <see cref="IsName"/> allows, for error messages.</summary>
    internal const string AllowedName = "1 to 64 letters, digits, - or _";

    private const string Section = "Routes";

    /// <summary>True for a name that a route may have.</summary>
    internal static bool IsName([NotNullWhen(true)] string? name) =>
        name?.Length is > 0 and <= 64 && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_');

    /// <summary>The routes in the order of their names; reports problems to the reader.</summary>
    internal static IReadOnlyList<NamedRoute> Read(SettingsReader settings)
    {
        List<IConfigurationProvider> providers = [.. ConfigurationOrigin.ProvidersOf(settings.Configuration)];
        foreach (IConfigurationProvider provider in providers.Where(ConfigurationOrigin.IsOurs))
        {
            // An empty JSON section is reported as a value, too.
            if (provider.TryGet(Section, out string? value))
            {
                settings.Fail(
                    Section,
                    string.IsNullOrWhiteSpace(value) ? null : value,
                    $"must contain one section per route, such as {{ \"orders\": {{ \"Source\": \"Http\" }} }}; "
                        + $"leave {Section} out to run the built-in route {BuiltIn}.");
            }
        }

        List<NamedRoute> routes = [.. settings.Configuration.GetSection(Section).GetChildren().Select(child => Read(settings, providers, child.Key))];
        if (routes.Count == 0)
        {
            return [new NamedRoute(BuiltIn, [], IsRemoved: false)];
        }

        if (routes.TrueForAll(route => route.IsRemoved))
        {
            settings.Fail(
                Section, value: null,
                $"must contain at least one route, but every one is null or empty: {string.Join(", ", routes.Select(route => route.Name))}.",
                "The worker would receive nothing.");
        }

        foreach (NamedRoute route in routes.Where(route => !route.IsRemoved && SetsNoPart(settings, route.Name)))
        {
            if (NearestName.Find(route.Name, routes.Where(other => other != route).Select(other => other.Name)) is { } nearest)
            {
                settings.Warn(
                    $"{Section}:{route.Name}", value: null,
                    $"sets no Source, Handler or Sink, so it is one more route, with their defaults. Did you mean {nearest}?",
                    $"Its settings do not apply to {nearest}.");
            }
        }

        return routes;
    }

    private static bool SetsNoPart(SettingsReader settings, string name) =>
        SettingsSections.KeysOf(RouteOptions.Settings).All(key => string.IsNullOrWhiteSpace(settings.Configuration[$"{Section}:{name}:{key}"]));

    /// <summary>The name and its origins, as text.</summary>
    public override string ToString() => (Origins.Count, IsRemoved) switch
    {
        (0, _) => $"{Name}: built in",
        (_, true) => $"{Name}: removed by {Origins[0]}",
        _ => $"{Name}: from {string.Join(", ", Origins)}",
    };

    private static NamedRoute Read(SettingsReader settings, List<IConfigurationProvider> providers, string name)
    {
        string key = $"{Section}:{name}";
        List<string> givenBy = [];
        string? removedBy = null;
        foreach (IConfigurationProvider provider in providers)
        {
            string? below = provider.GetChildKeys([], key).FirstOrDefault();
            if (provider.TryGet(key, out string? value))
            {
                if (!string.IsNullOrWhiteSpace(value))
                {
                    settings.Fail(key, value, "must be a section with Source, Handler and Sink, or null to remove the route.");
                    givenBy.Add(ConfigurationOrigin.Describe(provider));
                    continue;
                }

                removedBy = ConfigurationOrigin.Describe(provider);
                if (below is not null)
                {
                    settings.Fail(key, value: null, $"is empty, which removes the route, but {removedBy} also sets {key}:{below}: remove one of the two.");
                }
            }

            if (below is not null)
            {
                givenBy.Add(ConfigurationOrigin.Describe(provider));
                removedBy = null;
            }
        }

        return removedBy is null ? new NamedRoute(name, givenBy, IsRemoved: false) : new NamedRoute(name, [removedBy], IsRemoved: true);
    }
}
