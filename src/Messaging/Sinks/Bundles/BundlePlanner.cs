using Messaging.Configuration;
using Messaging.Handlers;
using Messaging.Intake;
using Messaging.Sources;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// Reads the section <c>Bundles</c> of one route, refuses what could not work together, and puts bundles around the route's sink.
/// One object for all routes: they share one budget.
/// </summary>
internal sealed class BundlePlanner(SettingsReader settings)
{
    private const string BundleContentType = "application/gzip";

    // Between a bundle's last moment and its PUT: its turn to be compressed, and a timer's slack.
    private static readonly TimeSpan Reserve = TimeSpan.FromSeconds(5);

    private readonly BundleBudget _budget = new(settings.Read<BundlesOptions>(BundlesOptions.Section).MemoryBudget);

    /// <summary>The least <c>Intake:Concurrency</c>: as many messages again are being stored while a bundle fills.</summary>
    public static int LeastConcurrency(BundlesOptions bundles) => 2 * bundles.MaxMessages;

    /// <summary>Reads a route's section.</summary>
    public BundlesOptions Read(string route)
    {
        BundlesOptions bundles = settings.Read<BundlesOptions>(BundlesOptions.Section, route);
        string own = $"Routes:{route}:{BundlesOptions.Section}:{nameof(BundlesOptions.MemoryBudget)}";
        if (settings.Configuration[own] is { } value)
        {
            settings.Fail(own, value, $"is one for the whole process; set {Key(nameof(BundlesOptions.MemoryBudget))} instead.", "It would have no effect.");
        }

        return bundles;
    }

    /// <param name="route">The route's name.</param>
    /// <param name="bundles">Its section.</param>
    /// <param name="intake">Its intake.</param>
    /// <param name="sources">Its sources.</param>
    /// <param name="handler">Its handler; null when there is no such one, which is reported already.</param>
    /// <param name="sink">Its sink.</param>
    /// <returns>The sink to use: the same, or bundles around it.</returns>
    public SinkPlan Around(string route, BundlesOptions bundles, IntakeOptions intake, IReadOnlyList<SourcePlan> sources, HandlerPlan? handler, SinkPlan sink)
    {
        if (!bundles.Enabled)
        {
            return sink;
        }

        if (sink.Kind != SinkKind.Objects)
        {
            settings.Fail(Key(nameof(BundlesOptions.Enabled)), "true", "must be false where the sink takes documents.", $"The sink {sink.Name} has batches of its own; set Routes:{route}:{Key(nameof(BundlesOptions.Enabled))}=false for this route.");
            return sink;
        }

        int mostPending = Math.Max(1, MostInFlight(intake, bundles, sources) / 2);
        CheckBytes(intake, bundles);
        CheckTimes(intake, bundles, sources, sink);
        CheckBodies(handler);
        BundleLimits limits = new(route, intake.Concurrency * Math.Max(1, sources.Count), mostPending);
        return sink with
        {
            Create = services => new BundlingSink((IObjectSink)sink.Create(services with { ContentType = BundleContentType }), bundles, limits, _budget, services),
        };
    }

    private static string Key(string name) => $"{BundlesOptions.Section}:{name}";

    /// <summary>What a single source can have in flight: a bundle may have to fill up from one alone.</summary>
    private int MostInFlight(IntakeOptions intake, BundlesOptions bundles, IReadOnlyList<SourcePlan> sources)
    {
        SettingValue<int>[] limits = [new("Intake:Concurrency", intake.Concurrency), .. sources.Select(source => source.MaxInFlight).OfType<SettingValue<int>>()];
        int needed = LeastConcurrency(bundles);
        foreach (SettingValue<int> limit in limits.Where(limit => limit.Value < needed))
        {
            settings.Fail(
                limit.Key,
                $"{limit.Value}",
                $"must be at least twice {Key(nameof(bundles.MaxMessages))} = {bundles.MaxMessages}: raise it to {needed}, or lower {Key(nameof(bundles.MaxMessages))} to {limit.Value / 2}.",
                "The messages that wait would leave no slots for those that could fill their bundle: it would wait for its age each time.");
        }

        return limits.Min(limit => limit.Value);
    }

    private void CheckBytes(IntakeOptions intake, BundlesOptions bundles)
    {
        if (intake.BytesInFlight / 2 < bundles.MemoryBudget)
        {
            settings.Fail(
                "Intake:BytesInFlight",
                SettingText.Format(intake.BytesInFlight, bytes: true),
                $"must be at least twice {Key(nameof(bundles.MemoryBudget))} = {SettingText.Format(bundles.MemoryBudget, bytes: true)}: raise it, or lower {Key(nameof(bundles.MemoryBudget))}.",
                "Receiving would pause for bytes that wait in bundles, before the budget closes one.");
        }
    }

    private void CheckTimes(IntakeOptions intake, BundlesOptions bundles, IReadOnlyList<SourcePlan> sources, SinkPlan sink)
    {
        TimeSpan longest = bundles.MaxAge + sink.StoreTimeout + Reserve;
        string sum = $"{Key(nameof(bundles.MaxAge))} {Text(bundles.MaxAge)} + the sink's total time {Text(sink.StoreTimeout)} + {Text(Reserve)}";
        if (intake.MessageTimeout < longest)
        {
            settings.Fail("Intake:MessageTimeout", Text(intake.MessageTimeout), $"must be at least {Text(longest)} ({sum}).", "Messages would be cut off while their bundle is stored.");
        }

        foreach (HoldLimit hold in sources.Select(source => source.Hold).OfType<HoldLimit>().Where(hold => hold.Longest.Value < hold.InTurn * longest))
        {
            string each = hold.InTurn == 1 ? sum : $"{hold.InTurn} messages of a group, one after another: {sum} each";
            settings.Fail(hold.Longest.Key, Text(hold.Longest.Value), $"must be at least {Text(hold.InTurn * longest)} ({each}).", "Messages would become visible again while they wait in a bundle, and be stored twice.");
        }
    }

    private void CheckBodies(HandlerPlan? handler)
    {
        const string Consequence = "A body with a broken tail would break the lines of its neighbours.";
        string enabled = Key(nameof(BundlesOptions.Enabled));
        if (handler is { StoresWholeJson: false, WholeJsonChoice: { } choice })
        {
            settings.Fail(choice.Key, choice.Value, $"must be {choice.Allowed} with {enabled}.", Consequence);
        }
        else if (handler is { StoresWholeJson: false })
        {
            settings.Fail(enabled, "true", $"must be false with the handler {handler.Name}, which does not say that each body it stores is a whole JSON document.", Consequence);
        }
    }

    private static string Text(TimeSpan time) => SettingText.Format(time, bytes: false);
}
