using Messaging.Handlers;
using Messaging.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Pipeline.Settlements;

namespace Worker.Tests.Handlers.Typed;

/// <summary>Handlers that hang, or keep a view after its message: the documented outcome, and other messages are handled.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class JsonHandlerMisuseTests
{
    private const string Body = """{"id":"a"}""";

    [Fact]
    public async Task Handle_HangsUntilItsTokenEnds_IsAbandonedAndFinallyDeadLettered()
    {
        ScriptedHandler handler = new(async (_, _, cancellationToken) =>
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return Settlement.Complete;
        });
        await using HandlerRoute route = await StartAsync(handler, "Intake:MessageTimeout=10s", "Recoverability:MaxDeliveries=2");

        await route.PublishAsync(Body);
        await route.SettleAllAsync();

        handler.Calls.Select(call => call.Delivery).ShouldBe([1, 2], "an attempt whose time is up is not retried in process");
        route.LinesOf(5002).ShouldHaveSingleItem().ShouldContain("The message took longer than Intake:MessageTimeout.");
        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("deliveries-exhausted");
    }

    [Fact]
    public async Task Handle_IgnoresItsToken_IsReportedAsStuckAndOthersContinue()
    {
        TaskCompletionSource<Settlement> released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ScriptedHandler handler = new((order, _, _) => order.Id == "a" ? new(released.Task) : new(Settlement.Complete));
        await using HandlerRoute route = await StartAsync(handler, "Intake:MessageTimeout=10s");

        await route.PublishAsync(Body);
        await route.PassUntilAsync(() => route.Route.IsStuck);
        await route.PublishAsync("""{"id":"b"}""");
        await route.PassUntilAsync(() => route.Publisher.Completed == 1);

        route.LinesOf(5003).ShouldHaveSingleItem();
        released.SetResult(Settlement.Complete);
        await route.SettleAllAsync();
        route.Publisher.Completed.ShouldBe(2, "its late decision counts");
    }

    [Fact]
    public async Task Handle_KeepsTheInfo_ReadingItAfterTheEndThrows()
    {
        MessageInfo kept = default;
        ScriptedHandler handler = new((_, info, _) =>
        {
            kept = info;
            return new(Settlement.Complete);
        });
        await using HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await route.SettleAllAsync();
        AssertEnded(kept);

        // The channel reuses the object for the next message, which the old view must not show.
        MessageInfo old = kept;
        await route.PublishAsync("""{"id":"b"}""");
        await HandlerRoute.UntilAsync(() => handler.Calls.Count == 2);
        AssertEnded(old);

        static void AssertEnded(MessageInfo info)
        {
            info.Route.ShouldBe("orders");
            Should.Throw<InvalidOperationException>(() => info.Body.Length).Message.ShouldStartWith("The message was settled");
            Should.Throw<InvalidOperationException>(() => info.SourceId.Length);
            Should.Throw<InvalidOperationException>(() => info.DeliveryCount);
            Should.Throw<InvalidOperationException>(() => info.EnqueuedAt);
        }
    }

    [Fact]
    public async Task Stop_HandlerRuns_IsCancelledAtTheDrainLimitAndTheMessageIsKept()
    {
        ScriptedHandler handler = new(async (_, _, cancellationToken) =>
        {
            await Task.Delay(Timeout.Infinite, cancellationToken);
            return Settlement.Complete;
        });
        HandlerRoute route = await StartAsync(handler);

        await route.PublishAsync(Body);
        await HandlerRoute.UntilAsync(() => handler.Calls.Count == 1);
        await route.DisposeAsync();

        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("unprocessed-at-stop");
        handler.Calls.Count.ShouldBe(1);
    }

    [Fact]
    public void Info_OfNothing_Throws()
    {
        MessageInfo none = default;

        none.Route.ShouldBeEmpty();
        Should.Throw<InvalidOperationException>(() => none.Body.Length);
    }

    internal static Task<HandlerRoute> StartAsync(ScriptedHandler handler, params string[] settings) =>
        HandlerRoute.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(handler);
                worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
            },
            settings);
}
