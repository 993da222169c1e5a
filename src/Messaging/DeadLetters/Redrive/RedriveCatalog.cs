using Messaging.Configuration;
using Messaging.Hosting;
using Messaging.Publishing;
using Microsoft.Extensions.Configuration;

namespace Messaging.DeadLetters.Redrive;

/// <summary>The stores of dead letters that can be redriven: the folder, where a source can hand its dead letters to a running worker, and those that the worker's sources offer. Immutable.</summary>
public sealed class RedriveCatalog
{
    private readonly Dictionary<string, IRedriveFeature> _byName = new(StringComparer.Ordinal);
    private readonly SettingsSections _sections;

    /// <param name="features">The worker's; their sources in the order in which they were added.</param>
    /// <exception cref="StartupException">Two stores have one name.</exception>
    internal RedriveCatalog(WorkerFeatures features)
    {
        _sections = features.Sections;
        List<IRedriveFeature> stores = [.. features.Sources.OfType<IRedriveFeature>()];
        if (features.Sources.OfType<ISenderFeature>().FirstOrDefault(sender => sender.StoresInRoutes) is { } toWorker)
        {
            stores.Insert(0, new FolderRedriveFeature(toWorker));
        }

        foreach (IRedriveFeature store in stores)
        {
            if (!_byName.TryAdd(store.RedriveName, store))
            {
                throw new StartupException($"redrive --from {store.RedriveName}: two stores of dead letters have this name. Add only one of their sources, or give one another name (IRedriveFeature.RedriveName).", ExitCodes.Configuration);
            }
        }

        Names = [.. stores.Select(store => store.RedriveName)];
        Description = string.Join(" or ", stores.Select(store => $"{store.RedriveName} ({store.RedriveDescription})"));
    }

    /// <summary>Every name: the folder first, then those of the sources in the order in which these were added.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>Every name with what is redriven, for <c>--help</c>.</summary>
    public string Description { get; }

    /// <summary>Redrives.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="configuration">Where its settings are.</param>
    /// <param name="request">What to redrive.</param>
    /// <param name="services">What it may use.</param>
    /// <param name="cancellationToken">Ends it; what was done by then is the result.</param>
    /// <exception cref="ConfigurationException">The settings are wrong; carries every problem.</exception>
    /// <exception cref="StartupException">The store is missing, refused or out of reach.</exception>
    public async Task<RedriveResult> RunAsync(string name, IConfiguration configuration, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration, _sections);
        Func<CommandServices, CancellationToken, Task<RedriveResult>> run = _byName[name].ConfigureRedrive(settings, request);
        return settings.Errors.Count > 0 ? throw new ConfigurationException(settings.Errors) : await run(services, cancellationToken);
    }
}
