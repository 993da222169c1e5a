using System.Text;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>
/// A part that decides nothing, by a default value or by one that does not exist, is at fault: its message is never acknowledged, is
/// redelivered and dead-lettered on its last delivery, and the log names the part and what it must return.
/// </summary>
public sealed class UndecidedOutcomeTests
{
    private static readonly byte[] Body =
        Encoding.UTF8.GetBytes("""{"id":"a","MessageId":"a","product":"p","siteKey":"s","event":"e","date":"2024-05-06T07:08:09Z"}""");

    public static TheoryData<string> Parts => [.. Cases.Keys];

    private static Dictionary<string, (Action<IMessageWorkerBuilder> Add, string[] Settings, string Log)> Cases { get; } = new(StringComparer.Ordinal)
    {
        ["handler, default(Settlement)"] = (
            Handle(static () => new(default(Settlement))), ["Routes:orders:Handler=Orders"],
            "The handler ScriptedHandler returned default(Settlement), which decides nothing: return Complete, Abandon, DeadLetter, Transient or Refused."),
        ["handler, default(ValueTask)"] =
            (Handle(static () => default), ["Routes:orders:Handler=Orders"], "The handler ScriptedHandler returned default(Settlement)"),
        ["handler, unknown kind"] = (
            Handle(static () => new(new Settlement((SettlementKind)42))), ["Routes:orders:Handler=Orders"],
            "The handler ScriptedHandler returned default(Settlement)"),
        ["handler of batches"] = (
            worker => worker.AddBatchHandler<Order, IdleBatchHandler>("Orders", TestJson.Default.Order),
            ["Routes:orders:Handler=Orders", "Handlers:Orders:MaxAge=100ms"],
            "The handler IdleBatchHandler did not settle this message of its batch: call Settle for each message, or SettleRest."),
        ["step, default(StepOutcome)"] = (worker =>
        {
            worker.AddStep<UndecidedStep>();
            Handle(static () => new(Settlement.Complete))(worker);
        }, ["Routes:orders:Handler=Orders"],
        "The step UndecidedStep returned StepOutcome.Undecided from BeforeAsync, which decides nothing: return StepOutcome.Continue or StepOutcome.Stop."),
        ["step, stops without a settlement"] = (worker =>
        {
            worker.AddStep<StoppingStep>();
            Handle(static () => new(Settlement.Complete))(worker);
        }, ["Routes:orders:Handler=Orders"],
        "No part of the pipeline settled the message: the terminator, or a step that stops the chain, must set context.Settlement, "
            + "and a connector must copy it to the outer context."),
        ["behaviour, does not call next"] = (worker =>
        {
            worker.AddBehavior<IdleBehavior>();
            Handle(static () => new(Settlement.Complete))(worker);
        }, ["Routes:orders:Handler=Orders"], "No part of the pipeline settled the message"),
        ["terminator, sets nothing"] = (
            worker => worker.AddHandler(new PartsFeature(static builder => builder.Terminator(new IdleTerminator()))), ["Routes:orders:Handler=Parts"],
            "No part of the pipeline settled the message"),
        ["terminator, unknown kind"] = (
            worker => worker.AddHandler(new PartsFeature(static builder => builder.Terminator(new IdleTerminator { Settlement = new((SettlementKind)42) }))),
            ["Routes:orders:Handler=Parts"], "No part of the pipeline settled the message"),
        ["connector, copies nothing"] = (
            worker => worker.AddHandler(new PartsFeature(static builder => builder.Connector(new ForgetfulConnector()).Terminator(new CompletingTerminator()))),
            ["Routes:orders:Handler=Parts"], "No part of the pipeline settled the message"),
    };

    [Theory]
    [MemberData(nameof(Parts))]
    public async Task Message_OfAnUndecidedPart_IsDeadLetteredOnItsLastDeliveryAndTheLogNamesThePart(string part)
    {
        (Action<IMessageWorkerBuilder> add, string[] settings, string log) = Cases[part];
        await using TestWorker worker = await StartAsync(add, settings);

        Settlement settlement = await worker.SendAsync(Body);

        settlement.Kind.ShouldBe(SettlementKind.DeadLetter);
        settlement.Description.ShouldNotBeNull().ShouldContain(log);
        worker.Stored.Objects.ShouldBeEmpty();
        TotalsOf(worker).ShouldBe((0, 2));
        LogEntry entry = worker.Log.Entries.First(entry => entry.Text.Contains(log, StringComparison.Ordinal));
        entry.Level.ShouldBeOneOf(LogLevel.Error, LogLevel.Warning);
        entry.Text.ShouldContain("Route orders");
    }

    [Theory]
    [InlineData("handler, default(Settlement)")]
    [InlineData("terminator, sets nothing")]
    public async Task Messages_OfAnUndecidedPart_AreLoggedOnceAndDoNotBlockTheRoute(string part)
    {
        (Action<IMessageWorkerBuilder> add, string[] settings, string log) = Cases[part];
        await using TestWorker worker = await StartAsync(add, [.. settings, "Intake:Concurrency=4"]);

        SentMessage[] messages = [.. Enumerable.Range(0, 50).Select(_ => worker.Send(Body))];
        foreach (SentMessage message in messages)
        {
            (await worker.WhenSettledAsync(message)).Kind.ShouldBe(SettlementKind.DeadLetter);
        }

        LogEntry[] lines = [.. worker.Log.Entries.Where(entry => entry.Id.Id == 5006)];
        lines.Length.ShouldBeInRange(1, 7, "At most one line in 10 s, in the 60 s that a message may take here.");
        lines[0].Text.ShouldContain($"{log}");
        lines[0].Text.ShouldContain("dead-lettered on delivery 3");
    }

    private static async Task<TestWorker> StartAsync(Action<IMessageWorkerBuilder> add, string[] settings) =>
        await TestWorker.StartAsync(
        add,
        ((string[])[.. settings, "Recoverability:MaxDeliveries=3", "Recoverability:BackoffBase=1ms", "Recoverability:BackoffCap=2ms"])
            .Select(setting => KeyValuePair.Create(setting[..setting.IndexOf('=')], (string?)setting[(setting.IndexOf('=') + 1)..])));

    private static (long Stored, long Returned) TotalsOf(TestWorker worker)
    {
        Quayside.Messaging.Telemetry.RouteTotals totals = ((IMessageWorker)worker.Services.GetService(typeof(IMessageWorker))!).GetTotals("orders");
        return (totals.Stored, totals.Returned);
    }

    private static Action<IMessageWorkerBuilder> Handle(Func<ValueTask<Settlement>> handle) => worker =>
    {
        Microsoft.Extensions.DependencyInjection.ServiceCollectionServiceExtensions.AddSingleton(worker.Services, new ScriptedHandler((_, _, _) => handle()));
        worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
    };

    private sealed class IdleBatchHandler : IBatchHandler<Order>
    {
        public ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken) => default;
    }

    private sealed class UndecidedStep : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) => default;
    }

    private sealed class StoppingStep : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) => new(StepOutcome.Stop);
    }

    private sealed class IdleBehavior : IBehavior<MessageContext, MessageContext>
    {
        public ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next) => default;
    }

    private sealed class PartsFeature(Action<PipelineBuilder<MessageContext>> compose) : IHandlerFeature
    {
        public string Name => "Parts";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SinkKind Writes => SinkKind.None;

        public HandlerPlan Configure(SettingsReader settings, string route) => new() { Compose = (builder, _) => compose(builder) };
    }

    private sealed class IdleTerminator : ITerminator<MessageContext>
    {
        public Settlement Settlement { get; init; }

        public ValueTask InvokeAsync(MessageContext context)
        {
            context.Settlement = Settlement;
            return default;
        }
    }

    private sealed class InnerContext : PipelineContext;

    private sealed class ForgetfulConnector : IBehavior<MessageContext, InnerContext>
    {
        public ValueTask InvokeAsync(MessageContext context, Next<InnerContext> next) =>
            next.InvokeAsync(new InnerContext { CancellationToken = context.CancellationToken });
    }

    private sealed class CompletingTerminator : ITerminator<InnerContext>
    {
        public ValueTask InvokeAsync(InnerContext context)
        {
            context.Settlement = Settlement.Complete;
            return default;
        }
    }
}
