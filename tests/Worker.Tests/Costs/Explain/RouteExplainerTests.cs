using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Storage;
using Shared.Hosting;
using Worker.Tests.AzureServiceBus;
using Worker.Tests.Planning;

namespace Worker.Tests.Costs.Explain;

/// <summary>The figures that <c>explain</c> derives from the settings.</summary>
public sealed class RouteExplainerTests
{
    private static readonly ExplainInput Load = new(18_000_000, 1_024, MessagesPerObject: null, PutMilliseconds: 50);

    private static readonly string[] SqsToS3 = ["Routes:archive:Source=Sqs", "Sources:Sqs:Queue=orders", "Routes:archive:Sink=S3", "Sinks:S3:Bucket=archive"];

    private static readonly string[] Bundled = ["Bundles:Enabled=true", "Intake:Concurrency=1000"];

    [Fact]
    public void Explain_SqsToS3ByDefault_ShowsCallsCostAndLimits()
    {
        RouteExplanation route = Explain(Load, SqsToS3);

        Values(route).ShouldBe(new Dictionary<string, double>
        {
            ["rate"] = 208.3333,
            ["objects.day"] = 18_000_000,
            ["sqs.receive"] = 1_800_000,
            ["sqs.receive.worst"] = 18_000_000,
            ["sqs.delete"] = 1_800_000,
            ["sqs.loops"] = 100,
            ["sqs.idle"] = 25_920,
            ["sqs.heartbeats"] = 0,
            ["s3.put"] = 18_000_000,

            // 18 M PUTs at $5.00 and 3.6 M requests at $0.40 per million.
            ["cost.day"] = 91.44,
            ["cost.month"] = 2_743.2,
            ["cost.million"] = 5.08,
            ["concurrency.needed"] = 10.4167,
            ["slots.expected"] = 64,
            ["rate.most"] = 20_000,
            ["bytes.inflight"] = 1_024_000,
            ["memory.buffers"] = 2_048_000,
            ["kill.redelivered"] = 1_000 + 21,
        });
        ExplainSaving saving = route.Savings.ShouldHaveSingleItem();
        (saving.UsdPerMonth, saving.AtMost).ShouldBe((2_694.6, true));
        saving.Change.ShouldContain("500 messages per object instead of 1, if they share one key prefix (--messages-per-object shows the figure for yours)");
        route.Notes.ShouldBeEmpty();
    }

    [Fact]
    public void Explain_LogsToElasticsearch_ShowsCallsAndNamesUnknownCosts()
    {
        RouteExplanation route = Explain(
            Load,
            "Routes:archive:Source=Sqs",
            "Sources:Sqs:Queue=events",
            "Routes:archive:Handler=CloudFront",
            "Handlers:CloudFront:Buckets=logs",
            "Routes:archive:Sink=Elasticsearch",
            "Sinks:Elasticsearch:Endpoint=http://127.0.0.1:9200",
            "Sinks:Elasticsearch:Index=logs");

        Dictionary<string, double> values = new(Values(route));
        values["s3.get"].ShouldBe(18_000_000);

        // 18 M GETs and 3.6 M SQS requests, both at $0.40 per million.
        values["cost.day"].ShouldBe(8.64);
        values["kill.redelivered"].ShouldBe(64 + 21);
        values.Keys.ShouldNotContain("objects.day");
        values.Keys.ShouldNotContain("s3.put");
        values.Keys.ShouldNotContain("rate.most");
        route.Notes.ShouldHaveSingleItem().ShouldContain("not estimated");
    }

    [Theory]
    [InlineData(18_000_000, 1_024, 100, "objects.day", 180_000)]
    [InlineData(18_000_000, 1_024, 100, "cost.day", 2.34)]
    [InlineData(8_640_000, 1_024, null, "slots.expected", 64)]
    [InlineData(864_000_000, 1_024, null, "slots.expected", 512)]
    [InlineData(8_640_000_000, 1_024, null, "slots.expected", 1_000)]

    // Ten messages of 20 KB are 4 requests of 64 KiB.
    [InlineData(18_000_000, 20_000, null, "sqs.receive", 1_800_000)]
    [InlineData(18_000_000, 20_000, null, "cost.day", 93.6)]

    // One message per 10 s: deletes go alone.
    [InlineData(8_640, 1_024, null, "sqs.delete", 8_554.4554)]
    [InlineData(8_640, 1_024, null, "concurrency.needed", 0.005)]

    // 500 per bundle, or the 100 or the 1 that arrive within its age of 10 s.
    [InlineData(18_000_000, 1_024, null, "objects.day", 36_000, "Bundles:Enabled=true", "Intake:Concurrency=1000")]
    [InlineData(864_000, 1_024, null, "objects.day", 8_640, "Bundles:Enabled=true", "Intake:Concurrency=1000")]
    [InlineData(8_640, 1_024, null, "objects.day", 8_640, "Bundles:Enabled=true", "Intake:Concurrency=1000")]
    [InlineData(18_000_000, 1_024, null, "rate.most", 1_280, "Intake:Concurrency=64")]
    [InlineData(18_000_000, 1_024, null, "rate.most", 10_000, "Bundles:Enabled=true")]
    [InlineData(18_000_000, 1_024, null, "cost.day", 180, "Costs:S3PutPerMillion=10", "Costs:SqsStandardPerMillion=0")]
    [InlineData(18_000_000, 1_024, null, "bytes.inflight", 2 * 1_024_000, "Routes:archive:Source=Sqs,Http")]
    [InlineData(18_000_000, 1_024, null, "memory.buffers", 2 * 2 * 1_024_000, "Routes:archive:Source=Sqs,Http")]
    [InlineData(18_000_000, 1_024, null, "memory.buffers", 2 * 64 * 1_024, "Intake:Concurrency=64")]
    public void Explain_SqsToS3_Line_HasItsValue(long messagesPerDay, int messageBytes, int? messagesPerObject, string line, double value, params string[] settings) =>
        Line(Explain(new ExplainInput(messagesPerDay, messageBytes, messagesPerObject, PutMilliseconds: 50), [.. SqsToS3, .. settings]), line).Value.ShouldBe(value, 1e-3);

    [Fact]
    public void Explain_MessagesThatFillTheCap_SaysFromHowMany() =>
        Line(Explain(Load with { MessageBytes = 1 << 20 }, [.. SqsToS3, "Intake:BytesInFlight=16MiB"]), "bytes.inflight").Because.ShouldContain("at 16 messages in flight");

    [Fact]
    public void Explain_BundlesEnabled_DeletesInFullBatchesAndHoldsSlots()
    {
        // 10 per second, 100 per bundle: only one or two would gather within the delay of 100 ms.
        RouteExplanation route = Explain(Load with { MessagesPerDay = 864_000 }, [.. SqsToS3, .. Bundled]);

        Values(route)["sqs.delete"].ShouldBe(86_400);
        Line(route, "sqs.delete").Because.ShouldContain("the messages of a bundle are acknowledged together");
        Values(route)["slots.needed"].ShouldBe(100.5);
        Line(route, "slots.needed").Because.ShouldEndWith("allows 1,000 for each of 1 source(s): enough");
        Line(Explain(Load, [.. SqsToS3, .. Bundled]), "slots.needed").Value.ShouldBe(510.4167);
    }

    [Fact]
    public void Explain_BundlesOfManyPrefixes_HoldMoreSlotsThanThereAre() =>
        Line(Explain(Load with { MessagesPerObject = 10 }, [.. SqsToS3, .. Bundled]), "slots.needed").Because.ShouldEndWith("NOT ENOUGH, so bundles are closed earlier and are smaller");

    [Theory]
    [InlineData("30s", 0)]
    [InlineData("60s", 21_600)]
    [InlineData("90s", 43_200)]
    public void Explain_BundlesThatOutwaitHalfOfTheVisibility_PayForHeartbeats(string age, double calls)
    {
        // 5 per second with a limit of 5,000 per bundle: 60 s contain one renewal at 30 s for the older half, 90 s those at 30 and at 60 s.
        RouteExplanation route = Explain(Load with { MessagesPerDay = 432_000 }, [.. SqsToS3, "Bundles:Enabled=true", "Bundles:MaxMessages=5000", "Intake:Concurrency=10000", "Intake:MessageTimeout=5m", $"Bundles:MaxAge={age}"]);

        Values(route)["sqs.heartbeats"].ShouldBe(calls);
        double others = (Values(route)["s3.put"] * 5 / 1_000_000) + (86_400 * 0.4 / 1_000_000);
        Values(route)["cost.day"].ShouldBe(others + (Values(route)["sqs.heartbeats"] * 0.4 / 1_000_000), 1e-4);
    }

    [Fact]
    public void Explain_BundlesEnabled_AKillMayStoreAgain()
    {
        ExplainLine line = Line(Explain(Load, [.. SqsToS3, .. Bundled]), "kill.redelivered");

        line.Value.ShouldBe(1_000 + 500);
        line.Because.ShouldEndWith("they may be stored a second time in other bundles: readers drop known ids");
        line.Because.ShouldNotContain("objects are found");
    }

    [Theory]
    [InlineData("Bundles:Enabled=true")]
    [InlineData("Intake:Concurrency=64")]
    public void Explain_FixedNumberOfSlots_ExpectsNoOther(string setting) =>
        Explain(Load, [.. SqsToS3, setting]).Lines.ShouldNotContain(line => line.Name == "slots.expected");

    [Fact]
    public void Explain_LowLoad_CountsIdlePollsAndSuggestsNoBundles()
    {
        // One message per 5 s: more polls end empty than with a message. A bundle of two would need 100 concurrent polls instead of 6.
        RouteExplanation route = Explain(Load with { MessagesPerDay = 17_280 }, SqsToS3);

        ExplainLine worst = Line(route, "sqs.receive.worst");
        worst.Value.ShouldBe(25_920);
        worst.Because.ShouldStartWith("the polls of an empty queue");
        route.Savings.ShouldNotContain(saving => saving.Change.Contains("Bundles", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Bundles:Enabled=true", 501, "--messages-per-object 501 is above Bundles:MaxMessages (500)")]
    [InlineData("Bundles:Enabled=false", 2, "--messages-per-object 2, but Bundles:Enabled is false")]
    public void Explain_MoreMessagesPerObjectThanTheSettingsAllow_SaysSo(string bundles, int perObject, string note) =>
        Explain(Load with { MessagesPerObject = perObject }, [.. SqsToS3, .. Bundled, bundles]).Notes.ShouldHaveSingleItem().ShouldStartWith(note);

    [Fact]
    public void Explain_StorageClass_SaysWhosePriceItIs()
    {
        string[] other = [.. SqsToS3, "Sinks:S3:StorageClass=STANDARD_IA"];

        Explain(Load, other).Notes.ShouldHaveSingleItem().ShouldContain("Costs:S3PutPerMillion");
        Explain(Load, [.. other, "Costs:S3PutPerMillion=10"]).Notes.ShouldBeEmpty();
    }

    [Fact]
    public void Explain_MessagesAboveTheLimit_AreRefusedByTheKey()
    {
        StartupException refused = Should.Throw<StartupException>(() => Explain(Load with { MessageBytes = 2_000_000 }, SqsToS3));

        refused.ExitCode.ShouldBe(ExitCodes.Usage);
        refused.Message.ShouldStartWith("--message-bytes 2,000,000 is above Stages:MaxMessageBytes (1,048,576)");
    }

    [Fact]
    public void Explain_Fifo_HasItsPriceAndShowsWhatItCosts()
    {
        RouteExplanation route = Explain(Load, [.. SqsToS3, "Sources:Sqs:Queue=orders.fifo"]);

        Values(route)["cost.day"].ShouldBe(90 + 1.8);
        route.Savings[^1].Change.ShouldContain("standard queue");
        route.Savings[^1].UsdPerMonth.ShouldBe(10.8);
    }

    [Fact]
    public void Explain_ShortPolls_ShowsWhatTheyCost()
    {
        RouteExplanation route = Explain(Load, [.. SqsToS3, "Sources:Sqs:WaitTime=0s"]);

        Values(route)["sqs.idle"].ShouldBe(6 * 86_400 * 2);
        route.Savings.ShouldContain(saving => saving.Change.Contains("WaitTime=20s", StringComparison.Ordinal));
    }

    [Fact]
    public void Explain_NoConditions_LooksFirst()
    {
        RouteExplanation route = Explain(Load, [.. SqsToS3, "Sinks:S3:Conditional=false"]);

        Values(route)["s3.head"].ShouldBe(18_000_000);
        route.Savings.ShouldContain(saving => saving.Change.Contains("Conditional=true", StringComparison.Ordinal) && saving.UsdPerMonth == 216);
    }

    [Fact]
    public void Explain_TooLittleConcurrency_SaysSo()
    {
        Line(Explain(Load, [.. SqsToS3, "Intake:Concurrency=10"]), "concurrency.needed").Because.ShouldContain("Intake:Concurrency allows 10 for each of 1 source(s): NOT ENOUGH");
        Line(Explain(Load, SqsToS3), "concurrency.needed").Because.ShouldEndWith(": enough");
    }

    [Fact]
    public void Explain_NoServiceOfAws_CostsNothingAndSaysWhatAKillLoses()
    {
        RouteExplanation route = Explain(Load);

        Values(route)["cost.day"].ShouldBe(0);
        Values(route).ShouldNotContainKey("s3.put");
        Values(route)["kill.lost"].ShouldBe(1_000);
        Values(route)["kill.unanswered"].ShouldBe(1_000);
        route.Savings.ShouldBeEmpty();
    }

    [Fact]
    public void Explain_SettingsOfTheRouteAlone_AreItsOwn()
    {
        Explanation explanation = ExplainAll(Load, [.. SqsToS3, "Routes:archive:Intake:Concurrency=20", "Routes:second:Sink=Memory"]);

        explanation.Routes.Select(route => route.Route).ShouldBe(["archive", "second"]);
        Values(explanation.Routes[0])["sqs.loops"].ShouldBe(2);
    }

    [Fact]
    public void Explain_WrongConfiguration_IsRefusedAsAWhole() =>
        Should.Throw<ConfigurationException>(() => ExplainAll(Load, ["Routes:archive:Sink=S3", "Intake:Concurrency=0"])).Errors.Count.ShouldBe(2);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(5, 1)]
    [InlineData(10, 1)]
    [InlineData(15, 1)]
    [InlineData(18, 1)]
    [InlineData(20, 2)]
    [InlineData(64, 6)]
    [InlineData(70, 7)]
    public void ConcurrentPolls_Slots_AreThoseThatEachLoopReservesFirst(int concurrency, int polls) => SqsMessageSource.ConcurrentPolls(concurrency).ShouldBe(polls);

    [Fact]
    public void Explain_ServiceBus_SaysWhatAKillRedeliversAndThatItsPriceIsMissing()
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
            {
                ["Routes:archive:Source"] = "ServiceBus",
                ["Sources:ServiceBus:FullyQualifiedNamespace"] = "orders.servicebus.windows.net",
                ["Sources:ServiceBus:Queue"] = "orders",
                ["Sources:ServiceBus:PrefetchCount"] = "20",
            })
            .Build();

        ServiceBusSourceFeature source = new(new FakeBus(TimeProvider.System).CreateClient);
        RoutePlan plan = new WorkerPlanner(configuration, FakeFeatures.Of([source], [new ArchiveHandlerFeature()], [new DirectorySinkFeature()])).Plan().Routes.ShouldHaveSingleItem();

        RouteExplanation route = RouteExplainer.Explain(plan, Load);

        Line(route, "kill.redelivered.servicebus").Value.ShouldBe(64 + 20);
        Line(route, "cost.day").Because.ShouldContain("charges for Service Bus are not in the estimate");
    }

    private static Dictionary<string, double> Values(RouteExplanation route) => route.Lines.ToDictionary(line => line.Name, line => line.Value);

    private static ExplainLine Line(RouteExplanation route, string name) => route.Lines.Single(line => line.Name == name);

    private static RouteExplanation Explain(ExplainInput input, params string[] keys) => ExplainAll(input, keys).Routes.ShouldHaveSingleItem();

    private static Explanation ExplainAll(ExplainInput input, params string[] keys)
    {
        Dictionary<string, string?> given = new(StringComparer.OrdinalIgnoreCase);
        foreach (string[] pair in keys.Select(key => key.Split('=')))
        {
            given[pair[0]] = pair[1];
        }

        return ExplainCommand.Explain(WorkerHost.Plan(new ConfigurationBuilder().AddInMemoryCollection(given).Build()).Checked(), input);
    }
}
