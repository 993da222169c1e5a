using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Intake;
using Messaging.Sinks;
using Messaging.Sources;

namespace Messaging.Routes;

/// <summary>What the sources, the handler and the sink of one route say of themselves, held against each other.</summary>
internal static class RouteRules
{
    /// <param name="settings">Takes the problems.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="sources">The sources that exist.</param>
    /// <param name="handler">Null when there is no such handler, which is reported already.</param>
    /// <param name="sink">Null when there is none.</param>
    /// <param name="intake">The intake of each source.</param>
    public static void Check(SettingsReader settings, string route, IReadOnlyList<SourcePlan> sources, HandlerPlan? handler, SinkPlan? sink, IntakeOptions intake)
    {
        if (handler?.Gathers is { } gathering)
        {
            GatheringRules.Check(settings, gathering, processing: null, intake, sources);
        }

        if (sink is null)
        {
            return;
        }

        if (sink.Loss is { } loss)
        {
            CheckLoss(settings, $"Routes:{route}:Sink", sources, sink.Name, loss.Allowed);
        }

        foreach (ReservedLevel level in sink.ReservedLevels)
        {
            if (handler?.FindReserved?.Invoke(level) is { } error)
            {
                settings.Fail(error.Key, error.Value, error.Problem, error.Consequence);
            }
        }
    }

    private static void CheckLoss(SettingsReader settings, string key, IReadOnlyList<SourcePlan> sources, string sink, SettingValue<bool> allowed)
    {
        if (Names(sources, CompletionEffect.Deletes) is { } queue)
        {
            if (allowed.Value)
            {
                settings.Warn(key, sink, $"keeps objects only as long as the process runs ({allowed.Key} allows it).", $"Messages of {queue} are deleted from the queue and gone when the process ends.");
            }
            else
            {
                settings.Fail(
                    key,
                    sink,
                    $"must be a sink that keeps what it stores, because the route receives from {queue}; set {allowed.Key}=true for a test or a measurement.",
                    "Messages would be deleted from the queue and gone when the process ends.");
            }
        }
        else if (Names(sources, CompletionEffect.Acknowledges) is { } answering)
        {
            settings.Warn(key, sink, $"keeps objects only as long as the process runs, while senders of {answering} may be told that they are stored.", "Use a sink that keeps them, such as Directory, for messages that matter.");
        }
    }

    private static string? Names(IReadOnlyList<SourcePlan> sources, CompletionEffect effect) =>
        string.Join(", ", sources.Where(source => source.OnComplete == effect).Select(source => source.Name)) is { Length: > 0 } names ? names : null;
}
