using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Planning;

/// <summary>
/// Reads the section <c>Bundles</c> per route, reports settings that do not fit together, and wraps the route's sink.
/// </summary>
internal sealed class BundlePlanner(SettingsReader settings)
{
    private const string BundleContentType = "application/gzip";

    public BundlesOptions Read(string route) => settings.Read<BundlesOptions>(BundlesOptions.Section, route);

    /// <param name="route">The route's name.</param>
    /// <param name="bundles">Its settings.</param>
    /// <param name="intake">Its intake settings.</param>
    /// <param name="sources">Its sources.</param>
    /// <param name="handler">Its handler; null when it was not found, which is reported already.</param>
    /// <param name="sink">Its sink.</param>
    /// <returns>The sink to use: the same, or wrapped for bundles.</returns>
    public SinkPlan Around(string route, BundlesOptions bundles, IntakeOptions intake, IReadOnlyList<SourcePlan> sources, HandlerPlan? handler, SinkPlan sink)
    {
        if (!bundles.Enabled)
        {
            return sink;
        }

        if (sink.Kind != SinkKind.Objects)
        {
            settings.Fail(
                Key(nameof(BundlesOptions.Enabled)), "true", "must be false with a sink for documents.",
                $"The sink {sink.Name} sends batches of its own; set Routes:{route}:{Key(nameof(BundlesOptions.Enabled))}=false for this route.");
            return sink;
        }

        int maxInFlight = BatchingRules.Check(settings, BatchingOf(bundles), ("the sink's total time", sink.StoreTimeout), intake, sources);
        CheckBytes(intake, bundles);
        CheckBodies(handler);
        BundleLimits limits = new(route, intake.Concurrency * Math.Max(1, sources.Count), Math.Max(1, maxInFlight / 2), intake.BytesInFlight / 2);
        return sink with
        {
            Retries = true,
            KeepsProperties = false,
            Create = services => new BundlingSink(
                (IObjectSink)FeatureFactory.Open(sink, services with { ContentType = BundleContentType }), bundles, limits, services),
        };
    }

    private static string Key(string name) => $"{BundlesOptions.Section}:{name}";

    private static Batching BatchingOf(BundlesOptions bundles) => new(
        "bundle",
        "stored",
        new SettingValue<int>(Key(nameof(bundles.MaxMessages)), bundles.MaxMessages),
        new SettingValue<TimeSpan>(Key(nameof(bundles.MaxAge)), bundles.MaxAge));

    private void CheckBytes(IntakeOptions intake, BundlesOptions bundles)
    {
        if (intake.BytesInFlight / 2 < bundles.MaxBytes)
        {
            settings.Fail(
                "Intake:BytesInFlight",
                SettingText.FormatBytes(intake.BytesInFlight),
                $"must be at least twice {Key(nameof(bundles.MaxBytes))} = {SettingText.FormatBytes(bundles.MaxBytes)}: raise it, or lower "
                    + $"{Key(nameof(bundles.MaxBytes))}.",
                "Half of it waits in bundles, so that size would never be reached.");
        }
    }

    private void CheckBodies(HandlerPlan? handler)
    {
        const string Consequence = "A malformed body would corrupt the lines of other messages.";
        string enabled = Key(nameof(BundlesOptions.Enabled));
        if (handler is { StoresWholeJson: false, WholeJsonChoice: { } choice })
        {
            settings.Fail(choice.Key, choice.Value, $"must be {choice.Allowed} with {enabled}.", Consequence);
        }
        else if (handler is { StoresWholeJson: false })
        {
            settings.Fail(
                enabled, "true",
                $"must be false with the handler {handler.Name}, which does not guarantee that each body it stores is a complete JSON document.", Consequence);
        }
    }
}
