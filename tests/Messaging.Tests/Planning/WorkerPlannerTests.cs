using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Execution;

namespace Messaging.Tests.Planning;

public sealed class WorkerPlannerTests
{
    private readonly FakeSource _channel = new("Channel");
    private readonly FakeSource _http = new("Http");

    [Fact]
    public void Plan_SeveralRoutes_EachHasItsOwnSettings()
    {
        WorkerPlan plan = Plan(
            "Intake:Concurrency=8",
            "Routes:one:Source=http",
            "Routes:one:Intake:Concurrency=2",
            "Routes:one:Sources:Http:Speed=9",
            "Routes:two:Source=Channel, HTTP",
            "Routes:two:Sink=Memory",
            "Sources:Http:Speed=1");

        plan.Errors.ShouldBeEmpty();
        plan.Routes.Select(route => $"{route.Name}:{route.Intake.Concurrency}:{string.Join('+', route.Sources.Select(source => source.Name))}")
            .ShouldBe(["one:2:Http", "two:8:Channel+Http"]);
        _http.Configured.ShouldBe(["one:9", "two:1"]);
        _channel.Configured.ShouldBe(["two:5"]);
        plan.Effective.Select(setting => setting.Key).ShouldContain("Routes:one:Sources:Http:Speed");
    }

    [Theory]
    [InlineData("closure", "Closure")]
    [InlineData("PRECOMPILED", "Precompiled")]
    [InlineData("expression", "Expression")]
    [InlineData("Fused", "Fused")]
    public void Plan_FormInAnyCase_IsChosen(string value, string expected) =>
        Plan($"Pipeline:Form={value}").Routes.Single().Form.Name.ShouldBe(expected);

    [Fact]
    public void Plan_UnknownForm_NamesTheForms() =>
        ErrorsOf("Pipeline:Form=Interpreted").ShouldHaveSingleItem()
            .ShouldStartWith($"Pipeline:Form = \"Interpreted\": must be one of {string.Join(", ", PipelineForm.All)}");

    [Fact]
    public void Plan_UnknownNames_EachListsTheKnownNames() =>
        ErrorsOf("Routes:a:Source=Htpp", "Routes:a:Handler=Archve", "Routes:a:Sink=S4").ShouldBe([
            "Routes:a:Source = \"Htpp\": there is no such source; it must be one of Channel, Http. Did you mean Http?",
            "Routes:a:Handler = \"Archve\": there is no such handler; it must be one of Archive, Rows. Did you mean Archive?",
            "Routes:a:Sink = \"S4\": there is no such sink; it must be one of Directory, Index, Memory. If another package has it, "
                + "call that package's Add method first.",
        ]);

    [Fact]
    public void Plan_FeaturesThatWereNotAdded_EachSaysThatAPackageMayHaveThem() =>
        ErrorsOf("Routes:a:Source=sqs", "Routes:a:Handler=CloudFront", "Routes:a:Sink=S3", "Aws:Region=eu-west-1").ShouldBe(
            [
                "Routes:a:Source = \"sqs\": there is no such source; it must be one of Channel, Http. If another package has it, "
                    + "call that package's Add method first.",
                "Routes:a:Handler = \"CloudFront\": there is no such handler; it must be one of Archive, Rows. If another package has it, "
                    + "call that package's Add method first.",
                "Routes:a:Sink = \"S3\": there is no such sink; it must be one of Directory, Index, Memory. If another package has it, "
                    + "call that package's Add method first.",
                "Aws: is not a known key. Known here: Pipeline, Routes, Sources, Stages, Unwrapping, Handlers, Sinks, Bundles, DeadLetters, Intake, "
                    + "Recoverability, Hosting, Envelopes. It would have no effect.",
            ],
            ignoreOrder: true);

    [Theory]
    [InlineData("", "archive", " No route is configured, so the built-in one applies.")]
    [InlineData("--Routes:a:Sink=Directory", "a", "")]
    public void Plan_DefaultsThatWereNotAdded_SaysWhatToConfigure(string argument, string route, string hint)
    {
        IConfiguration configuration = new ConfigurationBuilder().AddCommandLine([argument]).Build();
        WorkerPlanner planner = new(configuration, FakeFeatures.Of([_channel], [new FakeHandler("Rows")], [new FakeSink("Directory")]));

        planner.Plan().Errors.Select(error => error.ToString()).ShouldBe([
            $"Routes:{route}:Source: must be set to one of Channel. The default, Http, is not part of this worker.{hint}",
            $"Routes:{route}:Handler: must be set to one of Rows. The default, Archive, is not part of this worker.{hint}",
        ]);
    }

    [Fact]
    public void Plan_HandlerAndSinkOfDocuments_AreCompatible() => Plan("Routes:a:Handler=Rows", "Routes:a:Sink=Index").Errors.ShouldBeEmpty();

    [Fact]
    public void Plan_SinkOfAnotherKindThanTheHandlers_NamesThoseThatFit() =>
        ErrorsOf("Routes:a:Handler=Rows", "Routes:b:Sink=Index").ShouldBe([
            "Routes:a:Sink = \"Directory\": must be a sink for the documents of the handler Rows: Index. The sink Directory stores objects.",
            "Routes:b:Sink = \"Index\": must be a sink for the objects of the handler Archive: Directory, Memory. The sink Index stores documents.",
        ]);

    [Fact]
    public void Plan_BundlesOfDocuments_AreRefused() =>
        ErrorsOf("Routes:a:Handler=Rows", "Routes:a:Sink=Index", "Bundles:Enabled=true").ShouldBe([
            "Bundles:Enabled = \"true\": must be false with a sink for documents. The sink Index sends batches of its own; "
                + "set Routes:a:Bundles:Enabled=false for this route.",
        ]);

    [Fact]
    public void Plan_SourceNamedTwice_IsAnError() =>
        ErrorsOf("Routes:a:Source=Channel, Http, channel").ShouldBe(
            ["Routes:a:Source = \"channel\": must be named once. The route receives from each of its sources once."]);

    [Fact]
    public void Plan_NoSource_IsAnError() =>
        ErrorsOf("Routes:a:Source=,").ShouldBe(["Routes:a:Source = \"\": must name at least one of Channel, Http. The route would never receive a message."]);

    [Fact]
    public void Plan_UnknownKeyOfASectionOfSeveralClasses_IsReportedOnce() => ErrorsOf("Hosting:Peers=a").ShouldHaveSingleItem();

    [Fact]
    public void Plan_UnknownSection_SuggestsTheNearest() =>
        ErrorsOf("Intakes:Concurrency=1", "Something:Else=1").ShouldBe(
            [
                "Intakes: is not a known key. Did you mean Intake? It would have no effect.",
                "Something: is not a known key. Known here: Pipeline, Routes, Sources, Stages, Unwrapping, Handlers, Sinks, Bundles, DeadLetters, Intake, "
                    + "Recoverability, Hosting, Envelopes. It would have no effect.",
            ],
            ignoreOrder: true);

    [Fact]
    public void Plan_KeyWithoutAName_IsNamedInQuotes() =>
        ErrorsOf("=1").ShouldHaveSingleItem().ShouldStartWith("\"\": is not a known key.");

    [Fact]
    public void Plan_UnknownVariablesOfTheEnvironment_AreIgnored()
    {
        IConfigurationRoot configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create<string, string?>("PATH", "/bin"), KeyValuePair.Create<string, string?>("Whatever:Key", "1")])
            .Build();

        Planner(configuration).Plan().Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Plan_FeatureThatDoesNotExist_IsAnErrorGloballyAndBelowARoute() =>
        ErrorsOf("Sources:Htp:Speed=1", "Sinks:Memori:Speed=1", "Handlers:Nothing:Speed=1", "Routes:a:Sources:Chanel:Speed=1").ShouldBe(
            [
                "Sources:Htp: is not a known key. Did you mean Http? It would have no effect.",
                "Sinks:Memori: is not a known key. Did you mean Memory? It would have no effect.",
                "Handlers:Nothing: is not a known key. Known here: Archive, Rows. It would have no effect.",
                "Routes:a:Sources:Chanel: is not a known key. Did you mean Channel? It would have no effect.",
            ],
            ignoreOrder: true);

    [Fact]
    public void Plan_UnknownKeyOfARoute_IsAnError() =>
        ErrorsOf("Routes:a:Sorce=Http", "Routes:a:Intakes:Concurrency=1").ShouldBe(
            [
                "Routes:a:Sorce: is not a known key. Did you mean Source? It would have no effect.",
                "Routes:a:Intakes: is not a known key. Known here: Source, Envelope, Handler, Sink. It would have no effect.",
            ],
            ignoreOrder: true);

    [Theory]
    [InlineData("with space")]
    [InlineData("a/b")]
    [InlineData("ümlaut")]
    [InlineData("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    public void Plan_RouteNameThatCannotBeShown_IsAnError(string name) =>
        ErrorsOf($"Routes:{name}:Sink=Memory").ShouldHaveSingleItem().ShouldContain("a route's name");

    [Fact]
    public void Plan_ProblemsInEverySection_AreAllFoundAndNoBrokenRouteIsPlanned()
    {
        WorkerPlan plan = Plan(
            "Pipeline:Form=x",
            "Hosting:DrainTimeout=soon",
            "Intake:Concurrency=0",
            "Recoverability:BackoffCap=1ms",
            "Stages:MaxMessageBytes=huge",
            "Sinks:Directory:Speed=10",
            "Routes:good:Sink=Memory",
            "Routes:bad:Sink=None");

        plan.Errors.Select(error => error.Key).ShouldBe(
            ["Pipeline:Form", "Hosting:DrainTimeout", "Intake:Concurrency", "Recoverability:BackoffCap", "Stages:MaxMessageBytes", "Routes:bad:Sink",
                "Sinks:Directory:Speed"],
            ignoreOrder: true);
        plan.Routes.ShouldNotContain(route => route.Name == "bad");
    }

    [Fact]
    public void Plan_RouteWithAWrongOverride_NamesItsKey() =>
        ErrorsOf("Routes:a:Recoverability:Attempts=0", "Routes:a:Sources:Http:Speed=0").Select(error => error.Split(' ')[0])
            .ShouldBe(["Routes:a:Recoverability:Attempts", "Routes:a:Sources:Http:Speed"]);

    private WorkerPlan Plan(params string[] keys) =>
        Planner(new ConfigurationBuilder().AddCommandLine([.. keys.Select(key => $"--{key}")]).Build()).Plan();

    private WorkerPlanner Planner(IConfiguration configuration) => new(
        configuration,
        FakeFeatures.Of(
            [_channel, _http],
            [new FakeHandler("Archive"), new FakeHandler("Rows", SinkKind.Documents)],
            [new FakeSink("Directory"), new FakeSink("Index", SinkKind.Documents), new FakeSink("Memory")]));

    private IEnumerable<string> ErrorsOf(params string[] keys) => Plan(keys).Errors.Select((ConfigurationError error) => error.ToString());
}
