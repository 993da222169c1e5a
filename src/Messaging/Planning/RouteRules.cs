using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Intake;
using Messaging.Sinks;
using Messaging.Sources;

namespace Messaging.Planning;

/// <summary>Checks that the sources, the handler and the sink of a route fit together.</summary>
internal static class RouteRules
{
    /// <param name="settings">Collects the problems.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="sources">The sources that were found.</param>
    /// <param name="handler">The handler; null when it was not found, which is reported already.</param>
    /// <param name="sink">The sink; null without one.</param>
    /// <param name="intake">The intake of each source.</param>
    public static void Check(SettingsReader settings, string route, IReadOnlyList<SourcePlan> sources, HandlerPlan? handler, SinkPlan? sink, IntakeOptions intake)
    {
        if (handler?.Batching is { } batching)
        {
            BatchingRules.Check(settings, batching, processing: null, intake, sources);
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
                settings.Warn(key, sink, $"keeps objects only as long as the process runs ({allowed.Key} allows it).", $"Messages of {queue} are deleted from the queue and lost when the process ends.");
            }
            else
            {
                settings.Fail(
                    key,
                    sink,
                    $"must be a durable sink, because the route receives from {queue}; set {allowed.Key}=true for a test or a benchmark.",
                    "Messages would be deleted from the queue and lost when the process ends.");
            }
        }
        else if (Names(sources, CompletionEffect.Acknowledges) is { } answering)
        {
            settings.Warn(key, sink, $"keeps objects only as long as the process runs, although senders over {answering} may be told that their messages are stored.", "For messages that matter, use a durable sink, such as Directory.");
        }
    }

    private static string? Names(IReadOnlyList<SourcePlan> sources, CompletionEffect effect) =>
        string.Join(", ", sources.Where(source => source.OnComplete == effect).Select(source => source.Name)) is { Length: > 0 } names ? names : null;
}
