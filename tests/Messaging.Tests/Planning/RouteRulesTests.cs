using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Planning;

/// <summary>The core checks combinations of unknown sources, handlers and sinks by their descriptions.</summary>
public sealed class RouteRulesTests
{
    private const string Lossy = "Routes:one:Sink = \"Mine\": ";

    private static readonly string[] Bundled = ["Bundles:Enabled=true", "Intake:Concurrency=1000"];

    [Theory]
    [InlineData(
        CompletionEffect.Deletes, false,
        Lossy + "must be a durable sink, because the route receives from Rabbit; set Sinks:Mine:Loss=true for a test or a benchmark.", null)]
    [InlineData(CompletionEffect.Deletes, true, null, Lossy + "keeps objects only as long as the process runs (Sinks:Mine:Loss allows it).")]
    [InlineData(
        CompletionEffect.Acknowledges, false, null,
        Lossy + "keeps objects only as long as the process runs, although senders over Rabbit may be told that their messages are stored.")]
    [InlineData(CompletionEffect.None, false, null, null)]
    public void Plan_VolatileSink_IsAllowedOnlyWhereACopyExists(CompletionEffect effect, bool allowed, string? error, string? warning)
    {
        WorkerPlan plan = Plan(source => source with { OnComplete = effect }, sink: Loses(allowed));

        Starts(plan.Errors, error);
        Starts(plan.Warnings, warning);
    }

    [Fact]
    public void Plan_SourceWithoutDescription_CountsAsAQueue() => Starts(Plan(sink: Loses(allowed: false)).Errors, Lossy + "must be a durable sink");

    [Fact]
    public void Plan_NoDescriptions_IsValid() => Plan().Errors.ShouldBeEmpty();

    [Fact]
    public void Plan_BundlesForAHandlerWithoutDescription_AreRefused() =>
        Starts(Plan(settings: Bundled).Errors,
            "Bundles:Enabled = \"true\": must be false with the handler Archive, "
                + "which does not guarantee that each body it stores is a complete JSON document.");

    [Fact]
    public void Plan_BundlesForAHandlerWithASettingForThem_NameTheSetting() => Starts(
        Plan(handler: handler => handler with { WholeJsonChoice = new SettingChoice("Handlers:Archive:Check", "None", "All") }, settings: Bundled).Errors,
        "Handlers:Archive:Check = \"None\": must be All with Bundles:Enabled.");

    [Theory]
    [InlineData(
        999, "Sources:Rabbit:Prefetch = \"999\": must be at least twice Bundles:MaxMessages = 500: raise it to 1000, or lower Bundles:MaxMessages to 499.")]
    [InlineData(1_000, null)]
    public void Plan_BundlesFromASourceWithALimit_MustFit(int limit, string? expected) => Starts(
        Plan(source => source with { MaxInFlight = new SettingValue<int>("Sources:Rabbit:Prefetch", limit) }, Json, settings: Bundled).Errors, expected);

    [Theory]
    [InlineData(17, 1, "Sources:Rabbit:AckTimeout = \"17s\": must be at least 18s (Bundles:MaxAge 10s + the sink's total time 3s + 5s).")]
    [InlineData(18, 1, null)]
    [InlineData(
        35, 2, "Sources:Rabbit:AckTimeout = \"35s\": must be at least 36s (2 messages of a group, one after another: "
            + "Bundles:MaxAge 10s + the sink's total time 3s + 5s each).")]
    [InlineData(36, 2, null)]
    public void Plan_BundlesFromASourceThatHoldsForATime_MustFit(int seconds, int inTurn, string? expected) => Starts(
        Plan(
            source => source with { Hold = new HoldLimit(new SettingValue<TimeSpan>("Sources:Rabbit:AckTimeout", TimeSpan.FromSeconds(seconds)), inTurn) },
            Json,
            sink => sink with { StoreTimeout = TimeSpan.FromSeconds(3) },
            Bundled).Errors,
        expected);

    [Theory]
    [InlineData("system/{MessageId}", true)]
    [InlineData("sys{a}/{MessageId}", true)]
    [InlineData("{a}/{MessageId}", true)]
    [InlineData("other/{MessageId}", false)]
    [InlineData("sy_{a}/{MessageId}", false)]
    public void Plan_LevelThatTheSinkReserves_IsRefusedByTheKey(string template, bool refused)
    {
        IConfiguration configuration = Configure(["Routes:one:Sink=Mine", $"Handlers:Archive:Template={template}"]);
        FakeSink sink = new("Mine", describe: plan => plan with { ReservedLevels = [new ReservedLevel("system", "the store keeps its index there")] });

        WorkerPlan plan = new WorkerPlanner(configuration, FakeFeatures.Of([new FakeSource("Rabbit")], [new ArchiveHandlerFeature()], [sink])).Plan();

        Starts(plan.Errors,
            refused ? $"Handlers:Archive:Template = \"{template}\": must not begin with system, directly, through a placeholder's value" : null);
        plan.Errors
            .Count(error => error.Problem.EndsWith(": the store keeps its index there.", StringComparison.Ordinal))
            .ShouldBe(refused ? plan.Errors.Count : 0);
    }

    [Fact]
    public void Plan_PropertiesForASinkThatCannotKeepThem_NameTheSinksThatCan()
    {
        Starts(
            Plan(handler: WithTag).Errors,
            "Handlers:Archive:Tags:tenant: needs a sink that keeps metadata and tags, and Mine does not: the worker has no sink that does, or remove the "
                + "setting. Objects would be stored without them.");
        Starts(
            PlanKeeping("Other", handler: WithTag).Errors,
            "Handlers:Archive:Tags:tenant: needs a sink that keeps metadata and tags, and Mine does not: "
                + "set Routes:one:Sink to one that does (Other), or remove the setting.");
    }

    [Fact]
    public void Plan_PropertiesInBundles_AreRefused() => Starts(
        PlanKeeping("Mine", handler: handler => WithTag(Json(handler)), settings: Bundled).Errors,
        "Handlers:Archive:Tags:tenant: needs a sink that keeps metadata and tags, and Mine with bundles does not: set Bundles:Enabled=false, because a bundle "
            + "has several messages, or remove the setting.");

    [Fact]
    public void Plan_PropertiesForASinkThatKeepsThem_AreCheckedByIt()
    {
        PlanKeeping("Mine", handler: WithTag).Errors.ShouldBeEmpty();
        Starts(
            PlanKeeping(
                "Mine", handler: WithTag,
                sink: plan => plan with
                {
                    CheckProperties =
                    properties => [new ConfigurationError(properties[0].Setting, properties[0].Value, "has a wrong name.")]
                }).Errors,
            "Handlers:Archive:Tags:tenant: has a wrong name.");
    }

    private static HandlerPlan WithTag(HandlerPlan handler) =>
        handler with { Properties = [new ObjectPropertyPlan("Handlers:Archive:Tags:tenant", ObjectPropertyKind.Tag, "tenant", Value: null)] };

    private static WorkerPlan PlanKeeping(
        string keeping, Func<HandlerPlan, HandlerPlan> handler, Func<SinkPlan, SinkPlan>? sink = null, string[]? settings = null) =>
        new WorkerPlanner(
            Configure([.. settings ?? [], "Routes:one:Sink=Mine"]),
            FakeFeatures.Of(
                [new FakeSource("Rabbit")],
                [new FakeHandler("Archive", describe: handler)],
                [.. ((string[])["Mine", "Other"]).Select(name => new FakeSink(name, describe: sink) { KeepsProperties = name == keeping })])).Plan();

    private static HandlerPlan Json(HandlerPlan handler) => handler with { StoresWholeJson = true };

    private static Func<SinkPlan, SinkPlan> Loses(bool allowed) =>
        sink => sink with { AllowedLoss = new SettingValue<bool>("Sinks:Mine:Loss", allowed) };

    private static void Starts(IEnumerable<ConfigurationError> problems, string? expected)
    {
        string[] texts = [.. problems.Select(problem => problem.ToString())];
        if (expected is null)
        {
            texts.ShouldBeEmpty();
        }
        else
        {
            texts.ShouldHaveSingleItem().ShouldStartWith(expected);
        }
    }

    private static WorkerPlan Plan(
        Func<SourcePlan, SourcePlan>? source = null, Func<HandlerPlan, HandlerPlan>? handler = null, Func<SinkPlan, SinkPlan>? sink = null,
        string[]? settings = null) =>
        new WorkerPlanner(
            Configure([.. settings ?? [], "Routes:one:Sink=Mine"]),
            FakeFeatures.Of(
                [new FakeSource("Rabbit", source)], [new FakeHandler("Archive", describe: handler)], [new FakeSink("Mine", describe: sink)])).Plan();

    private static IConfiguration Configure(string[] settings) =>
        new ConfigurationBuilder().AddCommandLine([.. settings.Append("Routes:one:Source=Rabbit").Select(setting => $"--{setting}")]).Build();
}
