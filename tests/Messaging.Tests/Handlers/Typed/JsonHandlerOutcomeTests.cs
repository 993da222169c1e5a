using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>Each outcome of a handler, over a whole route.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class JsonHandlerOutcomeTests
{
    private const string Body = """{"id":"a","quantity":3}""";

    [Fact]
    public async Task Handle_Completes_TheMessageIsGone()
    {
        ScriptedHandler handler = new((_, _, _) => new(Settlement.Complete));
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        Order order = handler.Calls.ShouldHaveSingleItem().Order;
        (order.Id, order.Quantity).ShouldBe(("a", 3));
        route.Publisher.Completed.ShouldBe(1);
        route.Route.Metrics.Totals.Stored.ShouldBe(1);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Handle_CompletesLater_TheMessageIsGone()
    {
        ScriptedHandler handler = new(async (_, _, _) =>
        {
            await Task.Yield();
            return Settlement.Complete;
        });
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_Info_HasEveryKnownProperty()
    {
        string? seen = null;
        ScriptedHandler handler = new((_, info, _) =>
        {
            seen = $"{info.Route} {info.GetSourceIdString()} {info.DeliveryCount} {info.EnqueuedAt:yyyy-MM-dd} {info.Attributes.Count} "
                + $"{Encoding.UTF8.GetString(info.Body.Span)}";
            return new(Settlement.Complete);
        });
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body, "order-7");
        await route.SettleAllAsync();

        seen.ShouldBe($"orders order-7 1 2026-01-01 0 {Body}");
    }

    [Fact]
    public async Task Handle_Abandons_TheMessageIsRedeliveredAfterTheDelay()
    {
        ScriptedHandler handler =
            new((_, info, _) => new(info.DeliveryCount < 3 ? Settlement.Abandon(TimeSpan.FromSeconds(30), "not yet") : Settlement.Complete));
        await using HandlerRoute route = await StartAsync(handler);
        DateTimeOffset start = route.Time.GetUtcNow();

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        handler.Calls.Select(call => call.Delivery).ShouldBe([1, 2, 3]);
        (route.Time.GetUtcNow() - start).ShouldBeGreaterThanOrEqualTo(TimeSpan.FromSeconds(60));
        route.LinesOf(5002)[0].ShouldContain("redelivery in 30 s: not yet");
    }

    [Fact]
    public async Task Handle_DeadLetters_UnderItsReason()
    {
        await using HandlerRoute route =
            await StartAsync(new ScriptedHandler((_, _, _) => new(Settlement.DeadLetter("unknown-customer", "There is no customer 12."))));

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        route.DeadLetters.Messages.ShouldHaveSingleItem().ShouldSatisfyAllConditions(
            letter => letter.Reason.ShouldBe("unknown-customer"),
            letter => letter.Description.ShouldBe("There is no customer 12."),
            letter => Encoding.UTF8.GetString(letter.Body).ShouldBe(Body));
        route.Route.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Theory]
    [InlineData("No such Customer!\r\nerror 2 ok", "no-such-customer---error-2-ok")]
    [InlineData("", "unspecified")]
    [InlineData(null, "unspecified")]
    [InlineData("../../etc", "etc")]
    public async Task Handle_DeadLettersUnderAReasonThatIsNoCode_IsConvertedToOne(string? reason, string expected)
    {
        await using HandlerRoute route = await StartAsync(new ScriptedHandler((_, _, _) => new(Settlement.DeadLetter(reason!, "x"))));

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe(expected);
    }

    [Fact]
    public async Task Handle_ImpossibleDelayOrKind_IsAbandonedAndNeverCompleted()
    {
        Settlement[] odd = [Settlement.Abandon(TimeSpan.FromDays(-1)), new((SettlementKind)77), Settlement.Abandon(TimeSpan.MaxValue), Settlement.Complete];
        ScriptedHandler handler = new((_, info, _) => new(odd[info.DeliveryCount - 1]));
        await using HandlerRoute route = await StartAsync(handler);
        int timers = route.Time.ArmedTimers;

        await route.PublishAsync(Body);
        await route.Time.PassUntilAsync(TimeSpan.FromSeconds(1), () => handler.Calls.Count == 3);

        // The message has left the route, and its delay has begun.
        await HandlerRoute.UntilAsync(() => route.Publisher.Returned == 3 && route.Route.InFlight == 0 && route.Time.ArmedTimers > timers);
        route.Time.Advance(TimeSpan.FromHours(12));
        await route.SettleAllAsync();

        handler.Calls.Count.ShouldBe(4);
        route.Publisher.Completed.ShouldBe(1);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handle_Throws_IsRetriedThenAbandonedThenDeadLettered(bool inTheCall)
    {
        ScriptedHandler handler =
            new((_, _, _) => inTheCall ? throw new InvalidOperationException("boom") : ThrowLaterAsync(new InvalidOperationException("boom")));
        await using HandlerRoute route = await StartAsync(handler, "Recoverability:Attempts=2", "Recoverability:MaxDeliveries=3");

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        handler.Calls.Select(call => call.Delivery).ShouldBe([1, 1, 2, 2, 3, 3]);
        handler.Calls.Select(call => call.Order).Distinct(ReferenceEqualityComparer.Instance).Count().ShouldBe(6, "each attempt has an object of its own");
        route.DeadLetters.Records.ShouldHaveSingleItem().ShouldSatisfyAllConditions(
            letter => letter.Reason.ShouldBe("unhandled-exception"),
            letter => letter.Description.ShouldBe("Failed on delivery 3: boom"),
            letter => letter.ExceptionType.ShouldBe("System.InvalidOperationException"));
        route.Route.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handle_Transient_IsNeverDeadLetteredAndFinallyOpensTheBreaker(bool throws)
    {
        bool isDown = true;
        ScriptedHandler handler = new(
            (_, _, _) => !isDown
                ? new(Settlement.Complete)
                : throws
                ? throw new TransientException("The database is down.")
                : new(Settlement.Transient("The database is down.")));
        await using HandlerRoute route = await StartAsync(handler, "Recoverability:MaxDeliveries=2", "Recoverability:BreakerFailures=10");

        await route.PublishAsync(Body);
        await route.PassUntilAsync(() => route.Route.Breaker.State == BreakerState.Open);
        handler.Calls.Count.ShouldBe(10);
        isDown = false;
        await route.SettleAllAsync();

        route.Route.Breaker.State.ShouldBe(BreakerState.Closed);
        route.Publisher.Completed.ShouldBe(1);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handle_Refused_OpensTheBreakerImmediately(bool throws)
    {
        ScriptedHandler handler = new(
            (_, info, _) => info.DeliveryCount > 1
                ? new(Settlement.Complete)
                : throws
                ? throw new ServiceRefusedException("The password is wrong.")
                : new(Settlement.Refused("The password is wrong.")));
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await HandlerRoute.UntilAsync(() => route.Publisher.Returned == 1);

        route.Route.Breaker.IsRefused.ShouldBeTrue();
        route.Route.IsReceiving.ShouldBeFalse();
        route.Route.Breaker.LastFailure.ShouldBe("The password is wrong.");
        await route.SettleAllAsync();
        route.Publisher.Completed.ShouldBe(1);
    }

    [Fact]
    public async Task Handle_BodyIsNoOrder_IsNotCalled()
    {
        ScriptedHandler handler = new((_, _, _) => new(Settlement.Complete));
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync("{\"id\":");
        await route.PublishAsync("{\"id\":1}");
        await route.SettleAllAsync();

        handler.Calls.ShouldBeEmpty();
        route.DeadLetters.Messages.Select(letter => letter.Reason).ShouldBe(["malformed-json", "wrong-shape"], ignoreOrder: true);
    }

    private static async ValueTask<Settlement> ThrowLaterAsync(Exception exception)
    {
        await Task.Yield();
        throw exception;
    }

    private static Task<HandlerRoute> StartAsync(ScriptedHandler handler, params string[] settings) =>
        HandlerRoute.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(handler);
                worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
            },
            settings);
}
