using System.Text;
using Messaging.Tests.Sinks.Bundles;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>A typed handler that stores in the sink of its route: what the sink's outcomes mean for the message and for the route.</summary>
public sealed class StoringHandlerTests
{
    private readonly ScriptedSink _sink = new();

    [Fact]
    public async Task Handle_StoredObject_CompletesTheMessage()
    {
        _sink.Rule = static _ => SinkResult.Stored;
        await using HandlerRoute route = await StartAsync();

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(1);
        RecordedPut put = await _sink.NextAsync();
        put.Key.ShouldBe("orders/a.txt");
        put.Bytes.ShouldBe("order a"u8.ToArray());
        route.Route.Metrics.Totals.Stored.ShouldBe(1);
    }

    [Theory]
    [InlineData(SinkStatus.Collision, "key-collision", "The key orders/a.txt is already in use. other bytes")]
    [InlineData(SinkStatus.Rejected, "sink-rejected", "other bytes")]
    public async Task Handle_ObjectThatIsNeverStored_IsADeadLetter(SinkStatus status, string reason, string description)
    {
        _sink.Rule = _ => new SinkResult(status, "other bytes");
        await using HandlerRoute route = await StartAsync();

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(0);
        (route.DeadLetters.Messages.ShouldHaveSingleItem().Reason, route.DeadLetters.Messages[0].Description).ShouldBe((reason, description));
    }

    [Theory]
    [InlineData("-")]
    [InlineData("1025")]
    public async Task Handle_KeyThatNoSinkTakes_IsADeadLetterAndNotStored(string key)
    {
        await using HandlerRoute route = await StartAsync($"Handlers:Orders:Key={(key == "1025" ? new string('k', 1_025) : key)}");

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("invalid-key");
        _sink.Unread.ShouldBe(0);
    }

    [Fact]
    public async Task StoreAsync_KeyThatIsNotUtf8_IsADeadLetterAndNotStored()
    {
        ObjectStore store =
            new(_sink, "scripted", new CircuitBreaker("test", new RecoverabilityOptions(), TimeProvider.System, NullLogger.Instance), new RouteMetrics("test"));

        Settlement settlement = await store.StoreAsync(new byte[] { 0xC3, 0x28 }, default, CancellationToken.None);

        settlement.Reason.ShouldBe("invalid-key");
        _sink.Unread.ShouldBe(0);
    }

    [Fact]
    public async Task Handle_SinkFails_OpensTheBreakerAndStoresAfterwards()
    {
        bool isDown = true;
        _sink.Rule = _ => isDown ? new SinkResult(SinkStatus.Transient, "down", Exhausted: true) : SinkResult.Stored;
        await using HandlerRoute route = await StartAsync("Recoverability:BreakerFailures=3", "Recoverability:MaxDeliveries=2");
        for (int i = 0; i < 5; i++)
        {
            await route.PublishAsync($$"""{"id":"{{i}}"}""");
        }

        await route.PassUntilAsync(() => route.Route.Breaker.State == BreakerState.Open);
        isDown = false;
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(5);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Handle_FaultOfTheHandlersOwn_OpensTheBreakerToo()
    {
        await using HandlerRoute route = await StartAsync("Recoverability:BreakerFailures=3");

        for (int i = 0; i < 3; i++)
        {
            await route.PublishAsync("""{"id":"fault"}""");
        }

        await route.PassUntilAsync(() => route.Route.Breaker.State == BreakerState.Open);
    }

    [Fact]
    public async Task Handle_MessageThatIsNotStored_SaysNothingAboutTheSink()
    {
        await using HandlerRoute route = await StartAsync();

        await route.PublishAsync("""{"id":"skip"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(1);
        route.Route.Breaker.Successes.ShouldBe(0);
    }

    [Fact]
    public async Task Handle_TagsForASinkThatKeepsThem_ArriveThere()
    {
        MemoryObjectSink sink = new();
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker => worker.AddSink(new Feature(sink)).AddStoringHandler<Order, StoreOrder, StoreOptions>("Orders", TestJson.Default.Order),
            "Routes:orders:Sink=Scripted");

        await route.PublishAsync("""{"id":"tagged"}""");
        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        sink.Objects.Count.ShouldBe(2);
        sink.Properties.ShouldHaveSingleItem().Key.ShouldBe("tagged");
        sink.Properties["tagged"].Tags.ShouldBe([new("team", "billing")]);
    }

    [Fact]
    public async Task Handle_TagsForASinkThatCannotKeepThem_IsADeadLetterThatSaysSo()
    {
        await using HandlerRoute route = await StartAsync("Recoverability:DeadLetterOn=System.NotSupportedException");

        await route.PublishAsync("""{"id":"tagged"}""");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(0);
        _sink.Unread.ShouldBe(0);
        route.DeadLetters.Messages.ShouldHaveSingleItem().Description.ShouldContain("ScriptedSink cannot keep metadata and tags");
    }

    [Fact]
    public void Plan_NoSuchSink_IsAnError() =>
        HandlerRoute.Plan(worker => worker.AddStoringHandler<Order, StoreOrder, StoreOptions>("Orders", TestJson.Default.Order), "Routes:orders:Sink=Nowhere")
            .Errors.ShouldHaveSingleItem().Key.ShouldBe("Routes:orders:Sink");

    [Fact]
    public async Task Start_HandlerThatTakesNoStore_SaysSo()
    {
        StartupException refused = await Should.ThrowAsync<StartupException>(() => HandlerRoute.StartAsync(
            worker => worker.AddSink(new Feature(_sink)).AddStoringHandler<Order, TakesNoStore>("Orders", TestJson.Default.Order),
            "Routes:orders:Sink=Scripted"));

        refused.Message.ShouldStartWith("Route orders: TakesNoStore cannot be created: ");
    }

    private Task<HandlerRoute> StartAsync(params string[] settings) => HandlerRoute.StartAsync(
        worker => worker.AddSink(new Feature(_sink)).AddStoringHandler<Order, StoreOrder, StoreOptions>("Orders", TestJson.Default.Order),
        ["Routes:orders:Sink=Scripted", .. settings]);

    private sealed class StoreOptions
    {
        [Setting("The key, or empty for the order's; - for an empty key")]
        public string Key { get; set; } = string.Empty;
    }

    private sealed class StoreOrder(ObjectStore store, StoreOptions options) : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => message.Id switch
        {
            "skip" => ValueTask.FromResult(Settlement.Complete),
            "tagged" => store.StoreAsync("tagged", "{}"u8.ToArray(), new ObjectProperties { Tags = [new("team", "billing")] }, cancellationToken),
            "fault" => ValueTask.FromResult(Settlement.Transient("the price list is down")),
            _ => store.StoreAsync(KeyOf(message), Encoding.UTF8.GetBytes($"order {message.Id}"), cancellationToken),
        };

        private string KeyOf(Order message) => options.Key switch
        {
            "" => $"orders/{message.Id}.txt",
            "-" => string.Empty,
            { } key => key,
        };
    }

    private sealed class TakesNoStore : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) =>
            ValueTask.FromResult(Settlement.Complete);
    }

    private sealed class Feature(IObjectSink sink) : ISinkFeature
    {
        public string Name => "Scripted";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SinkPlan Configure(SettingsReader settings, string route) => new() { Create = _ => sink };
    }
}
