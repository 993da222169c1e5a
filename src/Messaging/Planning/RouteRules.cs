using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Planning;

/// <summary>Checks that the sources, the handler and the sink of a route fit together.</summary>
internal static class RouteRules
{
    /// <param name="settings">Collects the problems.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="sources">The sources that were found.</param>
    /// <param name="handler">The handler; null when it was not found, which is reported already.</param>
    /// <param name="sink">The sink; null without one.</param>
    /// <param name="intake">The intake of each source.</param>
    public static void Check(
        SettingsReader settings, string route, IReadOnlyList<SourcePlan> sources, HandlerPlan? handler, SinkPlan? sink, IntakeOptions intake)
    {
        if (handler?.Batching is { } batching)
        {
            BatchingRules.Check(settings, batching, processing: null, intake, sources);
        }

        if (sink is null)
        {
            return;
        }

        if (sink.AllowedLoss is { } allowed)
        {
            CheckLoss(settings, $"Routes:{route}:Sink", sources, sink.Name, allowed);
        }

        foreach (ReservedLevel level in sink.ReservedLevels)
        {
            if (handler?.FindReserved?.Invoke(level) is { } error)
            {
                settings.Fail(error.Key, error.Value, error.Problem, error.Consequence);
            }
        }
    }

    /// <summary>Checks that the sink keeps the metadata and tags that the handler gives its objects.</summary>
    public static void CheckProperties(SettingsReader settings, string route, HandlerPlan? handler, SinkPlan sink, IEnumerable<ISinkFeature> sinks)
    {
        if (handler is not { Properties: [{ } first, ..] properties })
        {
            return;
        }

        if (!sink.KeepsProperties)
        {
            string[] able = [.. sinks.Where(other => other.KeepsProperties).Select(other => other.Name).Order(StringComparer.Ordinal)];
            string advice = able.Contains(sink.Name, StringComparer.Ordinal)
                ? $"set {BundlesOptions.Section}:{nameof(BundlesOptions.Enabled)}=false, because a bundle has several messages"
                    : able.Length == 0 ? "the worker has no sink that does"
                    : $"set Routes:{route}:Sink to one that does ({string.Join(", ", able)})";
            settings.Fail(
                first.Setting, settings.Configuration[first.Setting],
                $"needs a sink that keeps metadata and tags, and {sink.Name}{(able.Contains(sink.Name, StringComparer.Ordinal) ? " with bundles" : "")} does "
                    + $"not: {advice}, or remove the setting.", "Objects would be stored without them.");
            return;
        }

        foreach (ConfigurationError error in sink.CheckProperties?.Invoke(properties) ?? [])
        {
            settings.Fail(error);
        }
    }

    /// <summary>Checks that messages out of one do not share an id.</summary>
    public static void CheckId(SettingsReader settings, string route, IReadOnlyList<EnvelopePlan> envelopes, HandlerPlan? handler)
    {
        // An envelope after the one that splits may give each its own.
        if (handler?.IdOfWhole is { } id && envelopes is [.., { Splits: true } splitting])
        {
            settings.Fail(
                id.Key, id.Value,
                $"must be a property of the body, or @id, with the envelope {splitting.Name} of the route {route}: "
                    + "all messages out of one would have the same id.", "All but one of them would be dead-lettered as key-collision.");
        }
    }

    /// <summary>Warns where the handler asks for what no message of the route can have beside its body.</summary>
    public static void CheckNeededValues(
        SettingsReader settings, string route, IReadOnlyList<SourcePlan> sources, IReadOnlyList<EnvelopePlan> envelopes, HandlerPlan? handler)
    {
        foreach (NeededValue needed in handler?.NeededValues ?? [])
        {
            // An envelope may have attributes of its own.
            bool canCome =
                (envelopes.Count > 0 && needed.Value.Kind == MessageValueKind.Attribute) || sources.Any(source => source.CanGive?.Invoke(needed.Value) ?? true);
            if (!canCome)
            {
                settings.Warn(
                    needed.Setting,
                    settings.Configuration[$"Routes:{route}:{needed.Setting}"] ?? settings.Configuration[needed.Setting],
                    $"asks for {needed.Placeholder}, which no message of {string.Join(", ", sources.Select(source => source.Name))} has in the route {route} "
                        + "(docs/reference/attributes.md).",
                    "Every message is processed as one without it.");
            }
        }
    }

    /// <summary>Checks that the whole of a message can be stored where its content cannot tell what it is.</summary>
    public static void CheckStoredPart(
        SettingsReader settings, string route, IReadOnlyList<EnvelopePlan> envelopes, UnwrappingOptions unwrapping, BundlesOptions bundles)
    {
        if (unwrapping.Store != StoredPart.Whole)
        {
            return;
        }

        string key = $"{UnwrappingOptions.Section}:{nameof(unwrapping.Store)}";
        if (envelopes.FirstOrDefault(envelope => envelope.Splits) is { } splitting)
        {
            settings.Fail(
                key, nameof(StoredPart.Whole), $"must be {nameof(StoredPart.Content)} with the envelope {splitting.Name} of the route {route}.",
                "Each message out of one would be stored with all others.");
        }
        else if (envelopes.Count > 0 && bundles.Enabled)
        {
            settings.Fail(
                key, nameof(StoredPart.Whole), $"must be {nameof(StoredPart.Content)} with {BundlesOptions.Section}:{nameof(bundles.Enabled)}.",
                "A bundle has one JSON document per line, which an envelope need not be.");
        }
    }

    private static void CheckLoss(SettingsReader settings, string key, IReadOnlyList<SourcePlan> sources, string sink, SettingValue<bool> allowed)
    {
        if (Names(sources, CompletionEffect.Deletes) is { } queue)
        {
            if (allowed.Value)
            {
                settings.Warn(
                    key, sink, $"keeps objects only as long as the process runs ({allowed.Key} allows it).",
                    $"Messages of {queue} are deleted from the queue and lost when the process ends.");
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
            settings.Warn(
                key, sink, $"keeps objects only as long as the process runs, although senders over {answering} may be told that their messages are stored.",
                "For messages that matter, use a durable sink, such as Directory.");
        }
    }

    private static string? Names(IReadOnlyList<SourcePlan> sources, CompletionEffect effect) =>
        string.Join(", ", sources.Where(source => source.OnComplete == effect).Select(source => source.Name)) is { Length: > 0 } names ? names : null;
}

/// <summary>The minimum limits of intake and sources with which messages can wait for each other.</summary>
internal static class BatchingRules
{
    // From the end of the waiting to the start of the processing: scheduling and timer delay.
    private static readonly TimeSpan Reserve = TimeSpan.FromSeconds(5);

    /// <param name="settings">Collects the problems.</param>
    /// <param name="batching">The messages that wait for each other.</param>
    /// <param name="processing">The longest processing time of a unit and what it is, for error messages; null when unknown.</param>
    /// <param name="intake">The route's intake settings.</param>
    /// <param name="sources">The route's sources.</param>
    /// <returns>The messages that a single source can have in flight, since one source alone may have to fill a unit.</returns>
    public static int Check(
        SettingsReader settings, Batching batching, (string What, TimeSpan Time)? processing, IntakeOptions intake, IReadOnlyList<SourcePlan> sources)
    {
        SettingValue<int>[] limits =
            [new("Intake:Concurrency", intake.Concurrency), .. sources.Select(source => source.MaxInFlight).OfType<SettingValue<int>>()];
        (string key, int most) = batching.MaxMessages;
        foreach (SettingValue<int> limit in limits.Where(limit => limit.Value < batching.MinSlots))
        {
            settings.Fail(
                limit.Key,
                $"{limit.Value}",
                $"must be at least twice {key} = {most}: raise it to {batching.MinSlots}, or lower {key} to {limit.Value / 2}.",
                $"Waiting messages would use all slots before their {batching.Unit} is full, so each {batching.Unit} would wait for its maximum age.");
        }

        CheckTimes(settings, batching, processing, intake, sources);
        return limits.Min(limit => limit.Value);
    }

    private static void CheckTimes(
        SettingsReader settings, Batching batching, (string What, TimeSpan Time)? processing, IntakeOptions intake, IReadOnlyList<SourcePlan> sources)
    {
        TimeSpan longest = batching.MaxAge.Value + (processing?.Time ?? TimeSpan.Zero) + Reserve;
        string middle = processing is { } known ? $"{known.What} {Text(known.Time)} + " : string.Empty;
        string sum = $"{batching.MaxAge.Key} {Text(batching.MaxAge.Value)} + {middle}{Text(Reserve)}";
        if (intake.MessageTimeout < longest)
        {
            settings.Fail(
                "Intake:MessageTimeout", Text(intake.MessageTimeout), $"must be at least {Text(longest)} ({sum}).",
                $"Messages would be cancelled while their {batching.Unit} is {batching.Done}.");
        }

        foreach (HoldLimit hold in sources.Select(source => source.Hold).OfType<HoldLimit>().Where(hold => hold.Longest.Value < hold.InSequence * longest))
        {
            string each = hold.InSequence == 1 ? sum : $"{hold.InSequence} messages of a group, one after another: {sum} each";
            settings.Fail(
                hold.Longest.Key,
                Text(hold.Longest.Value),
                $"must be at least {Text(hold.InSequence * longest)} ({each}).",
                $"Messages would be redelivered while they wait in a {batching.Unit}, and be {batching.Done} twice.");
        }
    }

    private static string Text(TimeSpan time) => SettingText.Format(time);
}
