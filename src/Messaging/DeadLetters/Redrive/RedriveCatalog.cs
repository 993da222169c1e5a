using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Storage;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// The dead-letter stores that can be redriven: the folder, if a source can send its dead letters to a running worker, and the queues that the worker's
/// sources offer. Immutable.
/// </summary>
internal sealed class RedriveCatalog
{
    private readonly Dictionary<string, IRedriveFeature> _byName;
    private readonly SettingsSections _sections;

    /// <summary>The name of the folder <c>DeadLetters:Path</c>.</summary>
    public const string Folder = "folder";

    /// <param name="features">The worker's features; sources in the order in which they were added.</param>
    internal RedriveCatalog(WorkerFeatures features)
    {
        _sections = features.Sections;
        ISourceFeature[] queues = [.. features.Sources.Where(static source => source is IRedriveFeature)];
        _byName = queues.ToDictionary(static source => source.Name.ToLowerInvariant(), static source => (IRedriveFeature)source, StringComparer.Ordinal);
        Names = [.. _byName.Keys];
        string[] stores = [.. queues.Select(static source =>
            $"{source.Name.ToLowerInvariant()} (dead-letter queue, moved to the queue: --Sources:{source.Name}:Queue=name)")];
        if (features.Sources.OfType<ISenderFeature>().FirstOrDefault(static sender => sender.StoresInRoutes) is { } toWorker)
        {
            _byName.Add(Folder, new FolderRedriveFeature(toWorker, features.Sources));
            Names = [Folder, .. Names];
            stores = [$"{Folder} (dead letters of DeadLetters:Path, sent to their routes)", .. stores];
        }

        Description = string.Join(" or ", stores);
    }

    /// <summary>Every name: the folder first, then the sources in the order in which they were added.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>Every name with what is redriven, for <c>--help</c>.</summary>
    public string Description { get; }

    /// <summary>The one of <see cref="Names"/> with the dead letters of a source's own queue.</summary>
    /// <param name="source">The name of the source, such as <c>Sqs</c>.</param>
    /// <returns>Null when the source offers no redrive.</returns>
    public string? NameOf(string source) => source.ToLowerInvariant() is var name && name != Folder && _byName.ContainsKey(name) ? name : null;

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
        if (request.ToFolder && name == Folder)
        {
            throw new StartupException("--to folder: the dead letters of --from folder are there. Name a queue with --from.", ExitCodes.Usage);
        }

        using DirectoryDeadLetterStore? folder = request.ToFolder ? new(settings.Read<DeadLettersOptions>("DeadLetters"), services.Time) : null;
        string? route = folder is null ? null : RouteOf(settings, name, request.Route);
        Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> open = _byName[name].ConfigureRedrive(settings, request);
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        if (folder is null)
        {
            // A name that is not in the folder, another process has redriven: it is not missing.
            return await MoveAsync(name == Folder ? request with { Names = null } : request, keep: null);
        }

        if (route is null)
        {
            throw new StartupException(
                "--to folder: the route of these dead letters is not known, because not exactly one route receives from this queue. Run redrive with the "
                    + "worker's configuration, or name the route with --route.", ExitCodes.Usage);
        }

        string handler = RouteOptions.Read(settings, route).Handler;
        RedriveResult result = await MoveAsync(request, async (letter, body, token) =>
        {
            await folder.AddAsync(letter with { Route = route, Handler = handler }, body, token);
            return SentTo.Route;
        });
        return result.Sent == 0
            ? result
            : result with
            {
                Notes = [
                    .. result.Notes,
                    $"They are in {folder.Root}. The worker's page and dead-letters show them, and edit, discard and redrive them one by one."]
            };

        async Task<RedriveResult> MoveAsync(RedriveRequest what, Func<DeadLetter, ReadOnlyMemory<byte>, CancellationToken, Task<SentTo>>? keep)
        {
            await using IDeadLetterQueue queue = await open(services, cancellationToken);
            return await new DeadLetterMover(queue, what, services, keep).RunAsync(cancellationToken);
        }
    }

    // The route that was named, or the only one whose settings name the queue; null when there is none, or several.
    private static string? RouteOf(SettingsReader settings, string source, string? route)
    {
        if (route is not null)
        {
            return route;
        }

        string key = $"Sources:{source}:Queue";
        string? queue = settings.Configuration[key];
        string[] routes =
        [
            .. settings.Configuration.GetSection("Routes").GetChildren().Select(static child => child.Key)
                .Where(name => RouteOptions.Read(settings, name).Source.Contains(source, StringComparer.OrdinalIgnoreCase)
                    && string.Equals(settings.Configuration[$"Routes:{name}:{key}"] ?? queue, queue, StringComparison.Ordinal)),
        ];
        return routes is [var only] ? only : null;
    }
}
