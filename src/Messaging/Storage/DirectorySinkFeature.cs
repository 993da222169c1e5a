using Messaging.Configuration;
using Messaging.Costs.Explain;
using Messaging.DeadLetters;
using Messaging.Sinks;

namespace Messaging.Storage;

/// <summary>The sink <c>Directory</c>: one file per object below a folder.</summary>
internal sealed class DirectorySinkFeature : ISinkFeature, IExplainedFeature
{
    public string Name => "Directory";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<DirectorySinkOptions>(DirectorySinkOptions.Section)];

    public IRouteExplainer Explain(SettingsReader settings, string route) => new NoServiceCalls();

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        DirectorySinkOptions options = settings.Read<DirectorySinkOptions>(DirectorySinkOptions.Section, route);
        if (options.Path.Contains('\0', StringComparison.Ordinal))
        {
            settings.Fail($"{DirectorySinkOptions.Section}:{nameof(options.Path)}", value: null, "must be a path.");
        }

        CheckDeadLetters(settings, options);
        return new SinkPlan
        {
            Create = services => new DirectorySink(options, services),
            CheckBeforeStart = findings =>
            {
                if (FolderCheck.FindProblem(options.Path) is { } problem)
                {
                    findings.Fail($"{DirectorySinkOptions.Section}:{nameof(options.Path)}", options.Path, problem, "No object could be stored.");
                }
            },
            ReservedLevels = [new ReservedLevel(DurableFolder.TemporaryFolder, "the folder sink keeps its unfinished files there")],
        };
    }

    // Both folders keep unfinished files in .tmp, and redrive reads every record below its folder as a dead letter.
    private static void CheckDeadLetters(SettingsReader settings, DirectorySinkOptions options)
    {
        string path = settings.Read<DeadLettersOptions>("DeadLetters").Path;
        if (path.Contains('\0', StringComparison.Ordinal) || options.Path.Contains('\0', StringComparison.Ordinal))
        {
            return;
        }

        string letters = Folder(path);
        string objects = Folder(options.Path);
        if (letters.StartsWith(objects, StringComparison.Ordinal) || objects.StartsWith(letters, StringComparison.Ordinal))
        {
            settings.Fail(
                $"DeadLetters:{nameof(DeadLettersOptions.Path)}",
                path,
                $"must be separate from the folder of the objects ({DirectorySinkOptions.Section}:{nameof(options.Path)} = {options.Path}): not the same, and neither inside the other.",
                "Objects and dead letters would mix, and redrive would read objects as dead letters.");
        }
    }

    private static string Folder(string path) => Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)) + Path.DirectorySeparatorChar;
}
