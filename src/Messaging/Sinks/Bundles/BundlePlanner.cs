using Messaging.Aws.S3.Sink;
using Messaging.Aws.Sqs;
using Messaging.Aws.Sqs.Wire;
using Messaging.Configuration;
using Messaging.Intake;
using Messaging.Routes;
using Messaging.Sources.Channels;
using Worker.Archive;

namespace Messaging.Sinks.Bundles;

/// <summary>
/// Reads the section <c>Bundles</c> of one route, refuses what could not work together, and puts bundles around the route's sink.
/// One object for all routes: they share one budget.
/// </summary>
internal sealed class BundlePlanner(SettingsReader settings)
{
    // Between a bundle's last moment and its PUT: its turn to be compressed, and a timer's slack.
    private static readonly TimeSpan Reserve = TimeSpan.FromSeconds(5);

    private readonly BundleBudget _budget = new(settings.Read<BundlesOptions>(BundlesOptions.Section).MemoryBudget);

    /// <param name="route">The route's name.</param>
    /// <param name="options">The route's parts.</param>
    /// <param name="intake">The route's intake.</param>
    /// <param name="kind">What the route's sink takes.</param>
    /// <param name="sink">What makes the route's sink.</param>
    /// <returns>What makes the sink to use: the same, or bundles around it.</returns>
    public Func<SinkServices, ISink> Around(string route, RouteOptions options, IntakeOptions intake, SinkKind kind, Func<SinkServices, ISink> sink)
    {
        BundlesOptions bundles = settings.Read<BundlesOptions>(BundlesOptions.Section, route);
        string own = $"Routes:{route}:{BundlesOptions.Section}:{nameof(BundlesOptions.MemoryBudget)}";
        if (settings.Configuration[own] is { } value)
        {
            settings.Fail(own, value, $"is one for the whole process; set {Key(nameof(BundlesOptions.MemoryBudget))} instead.", "It would have no effect.");
        }

        if (!bundles.Enabled)
        {
            return sink;
        }

        if (kind != SinkKind.Objects)
        {
            settings.Fail(Key(nameof(BundlesOptions.Enabled)), "true", "must be false where the sink takes documents.", $"The sink {options.Sink} has batches of its own; set Routes:{route}:{Key(nameof(BundlesOptions.Enabled))}=false for this route.");
            return sink;
        }

        int sources = Math.Max(1, options.Source.Distinct(StringComparer.OrdinalIgnoreCase).Count());
        int mostPending = Math.Max(1, MostInWork(route, options, intake, bundles) / 2);
        CheckBytes(intake, bundles);
        CheckTimes(route, options, intake, bundles);
        CheckBodies(route, options);
        BundleLimits limits = new(route, intake.Concurrency * sources, mostPending);
        return services => new BundlingSink((IObjectSink)sink(services), bundles, limits, _budget, services);
    }

    private static bool Has(RouteOptions options, string source) => options.Source.Contains(source, StringComparer.OrdinalIgnoreCase);

    private static string Key(string name) => $"{BundlesOptions.Section}:{name}";

    /// <summary>The least <c>Intake:Concurrency</c>: as many messages again are being stored while a bundle fills.</summary>
    public static int LeastConcurrency(BundlesOptions bundles) => 2 * bundles.MaxMessages;

    /// <summary>What a single source can have in work: a bundle may have to fill up from one alone.</summary>
    private int MostInWork(string route, RouteOptions options, IntakeOptions intake, BundlesOptions bundles)
    {
        int needed = LeastConcurrency(bundles);
        const string Consequence = "The messages that wait would leave no slots for those that could fill their bundle: it would wait for its age each time.";
        if (intake.Concurrency < needed)
        {
            settings.Fail("Intake:Concurrency", $"{intake.Concurrency}", $"must be at least twice {Key(nameof(bundles.MaxMessages))} = {bundles.MaxMessages}: raise it to {needed}, or lower {Key(nameof(bundles.MaxMessages))} to {intake.Concurrency / 2}.", Consequence);
        }

        if (!Has(options, "Channel"))
        {
            return intake.Concurrency;
        }

        // The channel counts what is in work as held.
        int capacity = settings.Read<ChannelSourceOptions>(ChannelSourceOptions.Section, route).Capacity;
        if (capacity < needed)
        {
            settings.Fail($"{ChannelSourceOptions.Section}:{nameof(ChannelSourceOptions.Capacity)}", $"{capacity}", $"must be at least twice {Key(nameof(bundles.MaxMessages))} = {bundles.MaxMessages}: raise it to {needed}, or lower {Key(nameof(bundles.MaxMessages))} to {capacity / 2}.", Consequence);
        }

        return Math.Min(intake.Concurrency, capacity);
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

    private void CheckTimes(string route, RouteOptions options, IntakeOptions intake, BundlesOptions bundles)
    {
        // A folder has no deadline, and is not expected to need one.
        TimeSpan storing = string.Equals(options.Sink, "S3", StringComparison.OrdinalIgnoreCase)
            ? settings.Read<S3SinkOptions>(S3SinkOptions.Section, route).TotalTimeout
            : TimeSpan.Zero;
        TimeSpan longest = bundles.MaxAge + storing + Reserve;
        string sum = $"{Key(nameof(bundles.MaxAge))} {Text(bundles.MaxAge)} + the sink's total time {Text(storing)} + {Text(Reserve)}";
        if (intake.MessageTimeout < longest)
        {
            settings.Fail("Intake:MessageTimeout", Text(intake.MessageTimeout), $"must be at least {Text(longest)} ({sum}).", "Messages would be cut off while their bundle is stored.");
        }

        if (Has(options, "Sqs"))
        {
            CheckHoldTime(settings.Read<SqsSourceOptions>(SqsSourceOptions.Section, route), longest, sum);
        }
    }

    private void CheckHoldTime(SqsSourceOptions sqs, TimeSpan longest, string sum)
    {
        // One message of a FIFO group at a time: the last of a receive waits for the bundles of all before it.
        int turns = sqs.Queue is { } name && SqsQueueReference.Parse(name) is { IsFifo: true } ? SqsLimits.BatchEntries : 1;
        if (sqs.MaxHoldTime < turns * longest)
        {
            string each = turns == 1 ? sum : $"{turns} messages of a group, one after another: {sum} each";
            settings.Fail($"{SqsSourceOptions.Section}:{nameof(SqsSourceOptions.MaxHoldTime)}", Text(sqs.MaxHoldTime), $"must be at least {Text(turns * longest)} ({each}).", "Messages would become visible again while they wait in a bundle, and be stored twice.");
        }
    }

    private void CheckBodies(string route, RouteOptions options)
    {
        if (string.Equals(options.Handler, "Archive", StringComparison.OrdinalIgnoreCase)
            && settings.Read<ArchiveOptions>(ArchiveOptions.Section, route).BodyValidation == BodyValidation.HeaderOnly)
        {
            settings.Fail(
                $"{ArchiveOptions.Section}:{nameof(ArchiveOptions.BodyValidation)}",
                nameof(BodyValidation.HeaderOnly),
                $"must be {nameof(BodyValidation.Full)} or {nameof(BodyValidation.Strict)} with {Key(nameof(BundlesOptions.Enabled))}.",
                "A body with a broken tail would break the lines of its neighbours.");
        }
    }

    private static string Text(TimeSpan time) => SettingText.Format(time, bytes: false);
}
