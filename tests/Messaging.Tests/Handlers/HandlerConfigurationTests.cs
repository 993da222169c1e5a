using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Messaging.Tests.Handlers.Batches;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers;

/// <summary>The configuration of a handler, and the errors for mistakes in it.</summary>
public sealed class HandlerConfigurationTests
{
    [Fact]
    public void Sink_OfAHandlerThatWritesToNone_IsAnErrorThatSaysSo() =>
        ErrorsOf(AddOrders, "Routes:orders:Sink=Memory")
            .ShouldBe(["Routes:orders:Sink = \"Memory\": must be left out: the handler Orders writes to no sink. It would have no effect."]);

    [Fact]
    public void Sink_NotGiven_IsNoSettingOfTheRoute()
    {
        WorkerPlan plan = HandlerRoute.Plan(AddOrders);

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem().Sink.ShouldBeNull();
        plan.Effective.ShouldNotContain(setting => setting.Key == "Routes:orders:Sink");
    }

    [Fact]
    public async Task Log_OfARouteWithoutASink_DoesNotMentionStoring()
    {
        HandlerRoute route = await HandlerRoute.StartAsync(AddOrders);
        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();
        route.Route.Breaker.Refused("down");
        await route.DisposeAsync();

        route.LinesOf(1010).ShouldBe(["Route orders: receiving from Channel, handled by Orders"]);
        route.LinesOf(2001).ShouldHaveSingleItem().ShouldStartWith("Route orders: the handler fails; receiving is paused");
        route.Log.Entries.ShouldNotContain(entry => entry.Text.Contains("sink") || entry.Text.Contains("stor"));
        route.Route.Metrics.DoneWord.ShouldBe("completed");
    }

    [Fact]
    public void Explain_OfARouteWithoutASink_DoesNotMentionStoring()
    {
        RoutePlan plan = HandlerRoute.Plan(AddOrders, "Bundles:Enabled=true").Routes.ShouldHaveSingleItem();

        StringWriter explanation = new();
        ExplainCommand.Write(plan, explanation);

        explanation.ToString().ShouldContain("none: its handler writes to no sink");
        explanation.ToString().ShouldNotContain("one call to");
    }

    [Fact]
    public void Section_OfAHandlerWithoutSettings_HasNoKnownKey() =>
        ErrorsOf(AddOrders, "Handlers:Orders:Speed=3").ShouldHaveSingleItem().ShouldStartWith("Handlers:Orders:Speed: is not a known key.");

    [Fact]
    public void Settings_WrongAndUnknown_AreReportedTogether() =>
        ErrorsOf(AddLimited, "Handlers:Orders:Limit=0", "Routes:orders:Handlers:Orders:Limt=5", "Handlers:Orders:Table=").ShouldBe(
            [
                "Handlers:Orders:Limit = \"0\": must be from 1 to 100.",
                "Handlers:Orders:Table: must be set for route orders (or Routes:orders:Handlers:Orders:Table): The table.",
                "Routes:orders:Handlers:Orders:Limt: is not a known key. Did you mean Limit? It would have no effect.",
            ],
            ignoreOrder: true);

    [Fact]
    public async Task Settings_WithTheRoutesOverrides_ReachTheConstructor()
    {
        LimitedHandler.Seen.Clear();
        await using HandlerRoute route =
            await HandlerRoute.StartAsync(AddLimited, "Handlers:Orders:Limit=7", "Handlers:Orders:Table=a", "Routes:orders:Handlers:Orders:Table=b");

        await route.PublishAsync("""{"id":"x"}""");
        await route.SettleAllAsync();

        LimitedHandler.Seen.ShouldBe(["7 b"]);
    }

    [Fact]
    public void Name_Twice_NamesTheClassesOfTheHandlers()
    {
        ErrorsOf(worker => Add<FailingHandler>(worker, "orders")).ShouldHaveSingleItem()
            .ShouldStartWith($"Handlers:orders: is added by {typeof(ScriptedHandler).FullName} and by {typeof(FailingHandler).FullName}");
        ErrorsOf(worker => Add<ScriptedHandler>(worker, "Orders")).ShouldHaveSingleItem()
            .ShouldStartWith($"Handlers:Orders: is added twice ({typeof(ScriptedHandler).FullName})");
        ErrorsOf(worker =>
        {
            AddOrders(worker);
            worker.AddBatchHandler<Order, ScriptedBatchHandler>("ORDERS", TestJson.Default.Order);
        })
        .ShouldHaveSingleItem()
        .ShouldStartWith($"Handlers:ORDERS: is added by {typeof(ScriptedHandler).FullName} and by {typeof(ScriptedBatchHandler).FullName}");

        static void Add<THandler>(IMessageWorkerBuilder worker, string name)
            where THandler : class, IMessageHandler<Order>
        {
            AddOrders(worker);
            worker.AddHandler<Order, THandler>(name, TestJson.Default.Order);
        }
    }

    [Fact]
    public void TypeInfo_Null_IsAConfigurationErrorWithAdvice() =>
        ErrorsOf(worker => worker.AddHandler<Order, ScriptedHandler>("Orders", null!)).ShouldHaveSingleItem()
            .ShouldStartWith("Handlers:Orders: must be added with a JsonTypeInfo<Order>");

    [Fact]
    public void TypeInfo_OfAnUnreadableProperty_IsAConfigurationError()
    {
        JsonTypeInfo<Order> typeInfo = JsonTypeInfo.CreateJsonTypeInfo<Order>(new JsonSerializerOptions { TypeInfoResolver = TestJson.Default });
        typeInfo.CreateObject = () => new Order { Id = "x" };
        typeInfo.Properties.Add(typeInfo.CreateJsonPropertyInfo(typeof(Version), "version"));

        ErrorsOf(worker => worker.AddBatchHandler<Order, ScriptedBatchHandler>("Orders", typeInfo)).ShouldHaveSingleItem()
            .ShouldStartWith("Handlers:Orders: must be added with a JsonTypeInfo<Order> that can read it: ");
    }

    [Theory]
    [InlineData(
        "Intake:Concurrency = \"64\": must be at least twice Handlers:Orders:MaxMessages = 40: raise it to 80, or lower Handlers:Orders:MaxMessages to 32.",
        "Handlers:Orders:MaxMessages=40", "Intake:Concurrency=64")]
    [InlineData(
        "Sources:Channel:Capacity = \"50\": must be at least twice Handlers:Orders:MaxMessages = 32: raise it to 64, "
            + "or lower Handlers:Orders:MaxMessages to 25.", "Sources:Channel:Capacity=50")]
    [InlineData("Intake:MessageTimeout = \"90s\": must be at least 125s (Handlers:Orders:MaxAge 2m + 5s).", "Handlers:Orders:MaxAge=2m")]
    public void Batch_ThatCannotFillOrFit_IsAnError(string error, params string[] settings) =>
        ErrorsOf(AddBatches, settings).ShouldHaveSingleItem().ShouldStartWith(error);

    [Fact]
    public void Batch_WithTheDefaults_IsValid() => ErrorsOf(AddBatches).ShouldBeEmpty();

    [Fact]
    public async Task Handler_NeedsAMissingService_EndsTheStartWithTheReason()
    {
        StartupException exception = await Should.ThrowAsync<StartupException>(() => HandlerRoute.StartAsync(
            worker => worker.AddHandler<Order, NeedyHandler>("Orders", TestJson.Default.Order)));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith("Route orders: NeedyHandler cannot be created: Unable to resolve service");
    }

    [Theory]
    [InlineData(ServiceLifetime.Scoped, "is a scoped service")]
    [InlineData(ServiceLifetime.Transient, "takes IComparer`1, which is a scoped service")]
    public async Task Handler_IsRegisteredButNeedsAScope_EndsTheStartWithAdvice(ServiceLifetime lifetime, string problem)
    {
        StartupException exception = await Should.ThrowAsync<StartupException>(() => HandlerRoute.StartAsync(worker => worker
            .With(AddScopedComparer)
            .With(services => services.Add(new ServiceDescriptor(typeof(NeedyHandler), typeof(NeedyHandler), lifetime)))
            .AddHandler<Order, NeedyHandler>("Orders", TestJson.Default.Order)));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith($"Route orders: NeedyHandler {problem}");
        exception.Message.ShouldContain("AddScopedHandler");
    }

    [Fact]
    public async Task Handler_WhoseConstructorThrows_EndsTheStartAndMayBeRestarted()
    {
        StartupException exception = await Should.ThrowAsync<StartupException>(() => HandlerRoute.StartAsync(
            worker => worker.AddHandler<Order, FailingHandler>("Orders", TestJson.Default.Order)));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldBe("Route orders: the constructor of FailingHandler failed: The database is away.");
    }

    private static void AddOrders(IMessageWorkerBuilder worker) =>
        worker
            .With(services => services.AddSingleton(new ScriptedHandler((_, _, _) => new(Settlement.Complete))))
            .AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);

    private static void AddScopedComparer(IServiceCollection services) =>
        services.AddScoped(_ => Comparer<Order>.Create((_, _) => 0)).AddScoped<IComparer<Order>>(provider => provider.GetRequiredService<Comparer<Order>>());

    private static void AddBatches(IMessageWorkerBuilder worker) => worker.AddBatchHandler<Order, ScriptedBatchHandler>("Orders", TestJson.Default.Order);

    private static void AddLimited(IMessageWorkerBuilder worker) => worker.AddHandler<Order, LimitedHandler, LimitOptions>("Orders", TestJson.Default.Order);

    private static string[] ErrorsOf(Action<IMessageWorkerBuilder> add, params string[] settings) =>
        [.. HandlerRoute.Plan(add, settings).Errors.Select(error => error.ToString())];

    private sealed class LimitOptions
    {
        [Setting("The limit", Min = "1", Max = "100")]
        public int Limit { get; set; } = 10;

        [Setting("The table", Required = true)]
        public string Table { get; set; } = string.Empty;
    }

    private sealed class LimitedHandler(LimitOptions options) : IMessageHandler<Order>
    {
        public static List<string> Seen { get; } = [];

        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken)
        {
            Seen.Add($"{options.Limit} {options.Table}");
            return new(Settlement.Complete);
        }
    }

    private sealed class NeedyHandler(IComparer<Order> comparer) : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) =>
            new(comparer.Compare(message, message) == 0 ? Settlement.Complete : default);
    }

    private sealed class FailingHandler : IMessageHandler<Order>
    {
        public FailingHandler() => throw new TimeoutException("The database is away.");

        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => default;
    }
}
