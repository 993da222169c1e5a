using Microsoft.Extensions.Configuration;
using Worker.Configuration;

namespace Worker.Routes;

/// <summary>
/// A route that the configuration names, and what gave it. Routes that are given anywhere replace the built-in one; a route that is
/// set to null (or to nothing) is removed, unless a later source gives it again.
/// </summary>
/// <param name="Name">The route's name.</param>
/// <param name="Origins">What gave it, or for a removed route what removed it: files, the environment, the command line. Empty for the built-in route.</param>
/// <param name="IsRemoved">True when it does not run.</param>
internal sealed record NamedRoute(string Name, IReadOnlyList<string> Origins, bool IsRemoved)
{
    /// <summary>The route of a worker that no route is given to: the defaults of <see cref="RouteOptions"/>.</summary>
    public const string BuiltIn = "archive";

    private const string Section = "Routes";

    /// <summary>The routes in the order of their names; problems go into the reader.</summary>
    public static IReadOnlyList<NamedRoute> Read(SettingsReader settings)
    {
        List<IConfigurationProvider> providers = [.. ConfigurationOrigin.ProvidersOf(settings.Configuration)];
        List<NamedRoute> routes = [.. settings.Configuration.GetSection(Section).GetChildren().Select(child => Read(settings, providers, child.Key))];
        if (routes.Count == 0)
        {
            return [new NamedRoute(BuiltIn, [], IsRemoved: false)];
        }

        if (routes.TrueForAll(route => route.IsRemoved))
        {
            settings.Fail(Section, value: null, $"must leave a route, but every one is null or empty: {string.Join(", ", routes.Select(route => route.Name))}.", "The worker would receive nothing.");
        }

        return routes;
    }

    public override string ToString() => (Origins.Count, IsRemoved) switch
    {
        (0, _) => $"{Name}: built in",
        (_, true) => $"{Name}: removed by {Origins[0]}",
        _ => $"{Name}: from {string.Join(", ", Origins)}",
    };

    private static NamedRoute Read(SettingsReader settings, List<IConfigurationProvider> providers, string name)
    {
        string key = $"{Section}:{name}";
        List<string> origins = [];
        bool isRemoved = false;
        foreach (IConfigurationProvider provider in providers)
        {
            if (provider.GetChildKeys([], key).Any())
            {
                if (isRemoved)
                {
                    origins.Clear();
                }

                origins.Add(ConfigurationOrigin.Describe(provider));
                isRemoved = false;
            }
            else if (provider.TryGet(key, out string? value))
            {
                if (!string.IsNullOrWhiteSpace(value))
                {
                    settings.Fail(key, SettingText.MaskUserInfo(value), "must be a section with Source, Handler and Sink, or null to remove the route.");
                }

                origins = [ConfigurationOrigin.Describe(provider)];
                isRemoved = true;
            }
        }

        return new NamedRoute(name, origins, isRemoved);
    }
}
