using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>A route of which a part lets no message pass is not ready and names the part; messages that are wrong themselves do not count.</summary>
public sealed class FailingPartTests
{
    private static readonly Dictionary<string, (Action<IMessageWorkerBuilder, Mode> Add, string Part)> Parts = new(StringComparer.Ordinal)
    {
        ["default settlement"] = (
            static (worker, mode) => Handle(worker, () => mode.Works ? new(Settlement.Complete) : default),
            "The handler ScriptedHandler returned default(Settlement)"),
        ["handler throws"] = (
            static (worker, mode) => Handle(worker, () => mode.Works ? new(Settlement.Complete) : throw new InvalidCastException("no customer")),

            // Optimized code may call the script in place of the handler's frame: then the stack shows its terminator, which has its name.
            " ScriptedHandler threw InvalidCastException: no customer"),
        ["undecided step"] = (static (worker, mode) => Step<UndecidedStep>(worker, mode), "The step UndecidedStep returned StepOutcome.Undecided"),
        ["step throws"] = (static (worker, mode) => Step<ThrowingStep>(worker, mode), "the step ThrowingStep threw InvalidCastException: no table"),
        ["batch throws"] = (static (worker, mode) =>
        {
            worker.Services.AddSingleton(mode);
            worker.AddBatchHandler<Order, ThrowingBatch>("Orders", TestJson.Default.Order);
        }, "the handler ThrowingBatch threw InvalidCastException: no table"),
    };

    public static TheoryData<string> Cases => [.. Parts.Keys];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Messages_AllFailInOnePart_AreNotReadyUntilOnePasses(string part)
    {
        Mode mode = new();
        await using TestWorker worker = await StartAsync(builder => Parts[part].Add(builder, mode));

        await FailAsync(worker, 9);
        StatusOf(worker).Problem.ShouldBeNull("Nine may be wrong themselves.");
        await FailAsync(worker, 1, first: 9);

        RouteStatus status = StatusOf(worker);
        status.IsReady.ShouldBeFalse();
        status.IsReceiving.ShouldBeTrue();
        status.Problem.ShouldNotBeNull().ShouldStartWith("None of the last 10 messages passed; the last failure: ");
        status.Problem.ShouldContain(Parts[part].Part);
        status.Problems.ShouldHaveSingleItem().Event.ShouldBe(5011);
        worker.Log.Entries.Where(entry => entry.Id.Id == 5011).ShouldHaveSingleItem().Text.ShouldContain(Parts[part].Part);

        mode.Works = true;
        (await worker.SendAsync("""{"id":"good"}""")).Kind.ShouldBe(SettlementKind.Complete);
        StatusOf(worker).IsReady.ShouldBeTrue();
        StatusOf(worker).Problem.ShouldBeNull();
        worker.Log.Entries.Where(entry => entry.Id.Id == 5012).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Messages_WrongThemselves_LeaveTheRouteReady()
    {
        await using TestWorker worker = await StartAsync(static builder => Handle(builder, static () => new(Settlement.DeadLetter("old", "Of last year."))));

        foreach (int i in Enumerable.Range(0, 40))
        {
            (await worker.SendAsync(i % 2 == 0 ? "{" : $$"""{"id":"{{i}}"}""", $"m{i}")).Kind.ShouldBe(SettlementKind.DeadLetter);
        }

        StatusOf(worker).IsReady.ShouldBeTrue();
    }

    [Fact]
    public async Task Message_FailsOnEachOfManyDeliveries_CountsOnce()
    {
        await using TestWorker worker =
            await StartAsync(static builder => Handle(builder, static () => throw new InvalidCastException("no customer")), "Recoverability:MaxDeliveries=30");

        await FailAsync(worker, 1);

        StatusOf(worker).IsReady.ShouldBeTrue();
    }

    [Fact]
    public void Run_WhereMessagesArriveOnlyWhileReady_IsAWarningAfterAMinuteUntilTheNextFailure()
    {
        ManualTimeProvider time = new();
        Quayside.Messaging.Recoverability.FailureRun run = new(time, expires: true);
        for (int i = 0; i < 10; i++)
        {
            run.Failed(i, "broken").ShouldBe(i == 9);
        }

        run.Problem.ShouldBe("broken");
        time.Advance(TimeSpan.FromSeconds(61));
        run.Problem.ShouldBeNull();
        run.Warning.ShouldBe("broken");

        run.Failed(11, "still broken").ShouldBeFalse();
        run.Problem.ShouldBe("still broken");
        run.Passed().ShouldBeTrue();
        run.Problem.ShouldBeNull();
        run.Warning.ShouldBeNull();
        run.Passed().ShouldBeFalse();
    }

    [Fact]
    public async Task Report_OfCode_IsNotReadyAndShownUntilItIsOver()
    {
        await using TestWorker worker = await StartAsync(static builder => Handle(builder, static () => new(Settlement.Complete)));
        IRouteHealth health = worker.Services.GetRequiredService<IRouteHealth>();

        health.Report("ORDERS", "price list", "The price list is of yesterday. Start its import.");
        health.Report(null, "lookup", "It is empty.");

        RouteStatus status = StatusOf(worker);
        status.IsReady.ShouldBeFalse();
        status.IsReceiving.ShouldBeTrue();
        status.Problem.ShouldBe("lookup: It is empty. price list: The price list is of yesterday. Start its import.");
        status.Problems.ShouldHaveSingleItem().Event.ShouldBe(1018);
        (await worker.SendAsync("""{"id":"good"}""")).Kind.ShouldBe(SettlementKind.Complete);
        StatusOf(worker).IsReady.ShouldBeFalse("A message that passes does not end it.");

        HealthCheckContext check = new() { Registration = new HealthCheckRegistration("worker", _ => null!, HealthStatus.Degraded, null) };
        WorkerHealthCheck checks = new(worker.Services.GetRequiredService<IWorkerStatus>());
        HealthCheckResult result = await checks.CheckHealthAsync(check, TestContext.Current.CancellationToken);
        (result.Status, result.Description).ShouldBe((HealthStatus.Degraded, $"Route orders: {status.Problem}"));

        health.Report("orders", "lookup", null);
        health.Report("orders", "price list", null);
        StatusOf(worker).IsReady.ShouldBeTrue();
        (await checks.CheckHealthAsync(check, TestContext.Current.CancellationToken)).Status.ShouldBe(HealthStatus.Healthy);
        worker.Log.Entries.Count(entry => entry.Id.Id == 1018).ShouldBe(2);
        worker.Log.Entries.Count(entry => entry.Id.Id == 1019).ShouldBe(2);
        Should.Throw<ArgumentException>(() => health.Report("other", "x", "y")).Message.ShouldStartWith("The worker has no route 'other'.");
    }

    private static async Task FailAsync(TestWorker worker, int count, int first = 0)
    {
        for (int i = first; i < first + count; i++)
        {
            (await worker.SendAsync($$"""{"id":"{{i}}"}""", $"m{i}")).Kind.ShouldBe(SettlementKind.DeadLetter);
        }
    }

    private static RouteStatus StatusOf(TestWorker worker) => worker.Services.GetRequiredService<IWorkerStatus>().GetRoutes()[0];

    private static Task<TestWorker> StartAsync(Action<IMessageWorkerBuilder> add, params string[] settings) => TestWorker.StartAsync(
        add,
        ((string[])["Routes:orders:Handler=Orders", "Recoverability:Attempts=1", .. settings is [] ? ["Recoverability:MaxDeliveries=2"] : settings])
            .Select(setting => KeyValuePair.Create(setting[..setting.IndexOf('=')], (string?)setting[(setting.IndexOf('=') + 1)..])),
        cancellationToken: TestContext.Current.CancellationToken);

    private static void Handle(IMessageWorkerBuilder worker, Func<ValueTask<Settlement>> handle)
    {
        worker.Services.AddSingleton(new ScriptedHandler((_, _, _) => handle()));
        worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
    }

    private static void Step<TStep>(IMessageWorkerBuilder worker, Mode mode)
        where TStep : class, IStep<MessageContext>
    {
        worker.Services.AddSingleton(mode);
        worker.AddStep<TStep>();
        Handle(worker, static () => new(Settlement.Complete));
    }

    private sealed class Mode
    {
        private volatile bool _works;

        public bool Works
        {
            get => _works;
            set => _works = value;
        }
    }

    private sealed class UndecidedStep(Mode mode) : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) => mode.Works ? new(StepOutcome.Continue) : default;
    }

    private sealed class ThrowingStep(Mode mode) : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) =>
            mode.Works ? new(StepOutcome.Continue) : throw new InvalidCastException("no table");
    }

    private sealed class ThrowingBatch(Mode mode) : IBatchHandler<Order>
    {
        public ValueTask HandleAsync(MessageBatch<Order> batch, CancellationToken cancellationToken)
        {
            if (!mode.Works)
            {
                throw new InvalidCastException("no table");
            }

            batch.SettleRest(Settlement.Complete);
            return default;
        }
    }
}
