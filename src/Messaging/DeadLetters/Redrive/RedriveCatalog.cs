using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Storage;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// The dead-letter stores that can be redriven: the folder, if a source can send its dead letters to a running worker, and those that the worker's sources
/// offer. Immutable.
/// </summary>
public sealed class RedriveCatalog
{
    private readonly Dictionary<string, IRedriveFeature> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _bySource;
    private readonly SettingsSections _sections;

    /// <summary>The name of the folder <c>DeadLetters:Path</c>.</summary>
    public const string Folder = "folder";

    /// <param name="features">The worker's features; sources in the order in which they were added.</param>
    /// <exception cref="StartupException">Two stores have the same name.</exception>
    internal RedriveCatalog(WorkerFeatures features)
    {
        _sections = features.Sections;
        List<IRedriveFeature> stores = [.. features.Sources.OfType<IRedriveFeature>()];
        if (features.Sources.OfType<ISenderFeature>().FirstOrDefault(sender => sender.StoresInRoutes) is { } toWorker)
        {
            stores.Insert(0, new FolderRedriveFeature(toWorker, features.Sources));
        }

        foreach (IRedriveFeature store in stores)
        {
            if (!_byName.TryAdd(store.RedriveName, store))
            {
                throw new StartupException(
                    $"redrive --from {store.RedriveName}: two dead-letter stores have this name. Add only one of their sources, "
                        + "or rename one of them (IRedriveFeature.RedriveName).", ExitCodes.Configuration);
            }
        }

        _bySource = features.Sources
            .Where(static source => source is IRedriveFeature)
            .ToDictionary(static source => source.Name, static source => ((IRedriveFeature)source).RedriveName, StringComparer.OrdinalIgnoreCase);
        Names = [.. stores.Select(store => store.RedriveName)];
        Description = string.Join(" or ", stores.Select(store => $"{store.RedriveName} ({store.RedriveDescription})"));
    }

    /// <summary>Every name: the folder first, then the sources in the order in which they were added.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>Every name with what is redriven, for <c>--help</c>.</summary>
    public string Description { get; }

    /// <summary>The one of <see cref="Names"/> with the dead letters of a source's own queue.</summary>
    /// <param name="source">The name of the source, such as <c>Sqs</c>.</param>
    /// <returns>Null when the source offers no redrive.</returns>
    public string? NameOf(string source) => _bySource.GetValueOrDefault(source);

    /// <summary>Runs a redrive.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="configuration">The configuration with its settings.</param>
    /// <param name="request">What to redrive.</param>
    /// <param name="services">The services that it may use.</param>
    /// <param name="cancellationToken">Stops the redrive; the result shows what was done by then.</param>
    /// <exception cref="ConfigurationException">The settings are wrong; carries every problem.</exception>
    /// <exception cref="StartupException">The store is missing, refused or unreachable.</exception>
    public async Task<RedriveResult> RunAsync(
        string name, IConfiguration configuration, RedriveRequest request, CommandServices services, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        SettingsReader settings = new(configuration, _sections);
        IRedriveFeature from = _byName[name];
        if (request.ToFolder && name == Folder)
        {
            throw new StartupException("--to folder: the dead letters of --from folder are there. Name a queue with --from.", ExitCodes.Usage);
        }

        if (name != Folder && !from.MovesToFolder && (request.ToFolder || request.Names is not null))
        {
            throw new StartupException($"redrive --from {name}: takes neither --id nor --to folder.", ExitCodes.Usage);
        }

        using DirectoryDeadLetterStore? folder = request.ToFolder ? new(settings.Read<DeadLettersOptions>("DeadLetters"), services.Time) : null;
        if (folder is not null)
        {
            request = request with { Folder = FolderOf(folder, settings, ((ISourceFeature)from).Name, request.Route) };
        }

        Func<CommandServices, CancellationToken, Task<RedriveResult>>? run = from.ConfigureRedrive(settings, request);
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        if (folder is not null && request.Folder is null)
        {
            throw new StartupException(
                "--to folder: the route of these dead letters is not known, because not exactly one route receives from this queue. Run redrive with the "
                    + "worker's configuration, or name the route with --route.", ExitCodes.Usage);
        }

        Task<RedriveResult>? running = run?.Invoke(services, cancellationToken);
        return running is not null && await running is { } result
            ? folder is null || result.Sent == 0
                ? result
                : result with
                {
                    Notes = [
                    .. result.Notes,
                    $"They are in {folder.Root}. The worker's page and dead-letters show them, and edit, discard and redrive them one by one."]
                }
            : throw new StartupException(
                $"redrive --from {name}: {_byName[name]} returned no result, so it is unknown what was redriven; "
                    + "the function that its ConfigureRedrive returns must return one.", ExitCodes.Software);
    }

    // Of the route that was named, or the only one whose settings name the queue; null when there is none, or several.
    private static RedriveFolder? FolderOf(DirectoryDeadLetterStore store, SettingsReader settings, string source, string? route)
    {
        string key = $"Sources:{source}:Queue";
        string? queue = settings.Configuration[key];
        string[] routes = route is not null ? [route] :
        [
            .. settings.Configuration.GetSection("Routes").GetChildren().Select(static child => child.Key)
                .Where(name => RouteOptions.Read(settings, name).Source.Contains(source, StringComparer.OrdinalIgnoreCase)
                    && string.Equals(settings.Configuration[$"Routes:{name}:{key}"] ?? queue, queue, StringComparison.Ordinal)),
        ];
        return routes is [var only] ? new RedriveFolder(store, only, RouteOptions.Read(settings, only).Handler) : null;
    }
}
