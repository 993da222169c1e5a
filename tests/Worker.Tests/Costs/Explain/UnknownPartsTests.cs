using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Worker.Tests.Planning;

namespace Worker.Tests.Costs.Explain;

/// <summary><c>explain</c> for third-party sources, handlers and sinks: it shows their descriptions, or that they have none.</summary>
public sealed class UnknownPartsTests
{
    private static readonly ExplainInput Load = new(8_640_000, 1_000, MessagesPerObject: null, PutMilliseconds: 50);

    private static readonly string[] CoreLines = ["rate", "objects.day", "cost.day", "concurrency.needed", "slots.expected", "rate.most", "bytes.inflight", "memory.buffers"];

    [Fact]
    public void Explain_NoDescriptions_ShowsTheCoresFiguresAndNotesMissingCalls()
    {
        RouteExplanation route = Explain();

        route.Lines.Select(line => line.Name).ShouldBe(CoreLines);
        Line(route, "cost.day").Because.ShouldBe("no calls to AWS; the calls of Rabbit, Archive, Mine are not in the estimate");
        route.Notes.ShouldBe(["The calls of Rabbit, Archive, Mine are not in the estimate."]);
        route.Savings.ShouldBeEmpty();
    }

    [Fact]
    public void Explain_AllDescribeNoCalls_NotesNothing()
    {
        RouteExplanation route = Explain(
            sourceExplainer: new NoServiceCalls(),
            handlerExplainer: new NoServiceCalls(),
            sinkExplainer: new NoServiceCalls());

        route.Lines.Select(line => line.Name).ShouldBe(CoreLines);
        Line(route, "cost.day").Because.ShouldBe("no calls to AWS: Rabbit and Mine need no service");
        route.Notes.ShouldBeEmpty();
    }

    [Fact]
    public void Explain_SomeDescribeTheirCalls_AreInTheSumsAndOthersInTheNote()
    {
        RouteExplanation route = Explain(sourceExplainer: new Broker());

        route.Lines.Select(line => line.Name).ShouldBe(["rate", "objects.day", "rabbit.get", "cost.day", "cost.month", "cost.million", "concurrency.needed", "slots.expected", "rate.most", "bytes.inflight", "memory.buffers", "kill.rabbit"]);
        Line(route, "rabbit.get").Because.ShouldBe("one a message; 259,200,000 per month, $17.28 per day");
        Line(route, "cost.day").Value.ShouldBe(17.28);
        Line(route, "cost.million").Value.ShouldBe(2);
        Line(route, "kill.rabbit").Value.ShouldBe(1_000);
        route.Savings.ShouldHaveSingleItem().UsdPerMonth.ShouldBe(30);
        route.Notes.ShouldBe(["The calls of Archive, Mine are not in the estimate."]);
    }

    [Fact]
    public void Explain_ObjectsHaveAPrice_ShowsWhatBundlesSaveLessWhatMoreSlotsPoll()
    {
        // 8.64 M objects instead of 17,280 at $1 per million; 1,000 slots in use all the time instead of 64, at $0.01 each.
        RouteExplanation route = Explain(
            sourceExplainer: new Polls(),
            sinkExplainer: new Objects());

        ExplainSaving saving = route.Savings.ShouldHaveSingleItem();
        saving.UsdPerMonth.ShouldBe(Math.Round(30 * (8.64 - 0.01728 - 0.936), 2));
        saving.AtMost.ShouldBeTrue();
        saving.Change.ShouldStartWith("Bundles:Enabled=true: 500 messages per object instead of 1");
    }

    [Fact]
    public void Explain_SinkWithALimit_NamesItsKey()
    {
        RouteExplanation route = Explain(sink: sink => sink with { MaxConcurrency = new SettingValue<int>("Sinks:Mine:Connections", 3) });

        Line(route, "concurrency.needed").Because.ShouldEndWith("Sinks:Mine:Connections allows 3: NOT ENOUGH");
        Line(route, "rate.most").Value.ShouldBe(60);
    }

    [Fact]
    public void Explain_HandlerThatReadsObjects_OmitsFiguresThatMessagesDoNotDetermine() =>
        Explain(handler => handler with { ReadsObjects = true }).Lines.Select(line => line.Name).ShouldBe(["rate", "cost.day"]);

    [Theory]
    [InlineData(SinkKind.Objects, "their objects are found, none is lost")]
    [InlineData(SinkKind.Documents, "existing documents are found by their ids, none is lost")]
    [InlineData(SinkKind.None, "the handler receives them again, none is lost")]
    public void ExplainKill_Sqs_SaysWhatBecomesOfTheResults(SinkKind results, string then)
    {
        RouteEstimate estimate = new();

        new SqsExplainer(new SqsSourceOptions(), isFifo: false, new AwsCostOptions()).ExplainKill(new RouteLoad { MessagesPerDay = 1, MessageBytes = 1, Concurrency = 64, Results = results }, estimate);

        estimate.Lines.ShouldHaveSingleItem().Because.ShouldEndWith($"; {then}");
    }

    private static ExplainLine Line(RouteExplanation route, string name) => route.Lines.Single(line => line.Name == name);

    private static RouteExplanation Explain(
        Func<HandlerPlan, HandlerPlan>? handler = null,
        Func<SinkPlan, SinkPlan>? sink = null,
        IRouteExplainer? sourceExplainer = null,
        IRouteExplainer? handlerExplainer = null,
        IRouteExplainer? sinkExplainer = null)
    {
        IConfiguration configuration = new ConfigurationBuilder().AddCommandLine(["--Routes:one:Source=Rabbit", "--Routes:one:Sink=Mine"]).Build();
        WorkerPlan plan = new WorkerPlanner(configuration, FakeFeatures.Of([new FakeSource("Rabbit") { Explainer = sourceExplainer }], [new FakeHandler("Archive", describe: handler) { Explainer = handlerExplainer }], [new FakeSink("Mine", describe: sink) { Explainer = sinkExplainer }])).Plan();
        return RouteExplainer.Explain(plan.Routes.ShouldHaveSingleItem(), Load);
    }

    private sealed class Polls : IRouteExplainer
    {
        public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
        {
        }

        public double ReceiveUsdPerDay(RouteLoad load) => load.ConcurrencyAtRest / 1_000.0;
    }

    private sealed class Objects : IRouteExplainer
    {
        public double PricePerMillionObjects => 1;

        public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
        {
        }
    }

    private sealed class Broker : IRouteExplainer
    {
        public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
        {
            estimate.Call("rabbit.get", "Rabbit Get", load.MessagesPerDay, 1, 2, "one a message");
            estimate.Save(1, "prefetch");
            estimate.Save(0, "nothing");
        }

        public void ExplainKill(RouteLoad load, RouteEstimate estimate) => estimate.Add("kill.rabbit", "redelivered", load.Concurrency, "messages", "Intake:Concurrency");
    }
}
