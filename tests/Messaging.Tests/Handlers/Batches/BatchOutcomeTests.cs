using Messaging.Tests.Handlers.Typed;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Batches;

/// <summary>Each outcome and each misuse of a batch, over a whole route.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class BatchOutcomeTests
{
    [Fact]
    public async Task Settle_EachDifferently_EachHasItsSettlement()
    {
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            for (int i = 0; i < batch.Count; i++)
            {
                batch.Settle(i, batch[i].Id switch
                {
                    "dead" => Settlement.DeadLetter("no-such-customer", "x"),
                    "later" when batch.InfoOf(i).DeliveryCount == 1 => Settlement.Abandon(TimeSpan.FromSeconds(10)),
                    _ => Settlement.Complete,
                });
            }

            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=3");

        await BatchCollectionTests.PublishAsync(route, "good", "dead", "later");
        await HandlerRoute.UntilAsync(() => handler.Batches.Count == 1);
        await route.SettleAllAsync();

        handler.Batches[1].ShouldBe("later");
        route.Publisher.Completed.ShouldBe(2);
        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("no-such-customer");
    }

    [Fact]
    public async Task Handle_LeavesOneUndecided_ItIsAbandonedLoggedAndFinallyDeadLettered()
    {
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            SettleAllBut("forgotten", batch);
            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=2", "Recoverability:MaxDeliveries=3");

        await BatchCollectionTests.PublishAsync(route, "a", "forgotten");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(1);
        route.LinesOf(5002)[0].ShouldContain(
            "The handler ScriptedBatchHandler did not settle this message of its batch: call Settle for each message, or SettleRest.");
        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("deliveries-exhausted");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handle_Throws_SettledMessagesStaySettledAndTheRestIsAbandoned(bool inTheCall)
    {
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            SettleAllBut("b", batch);
            if (batch[0].Id == "b" && batch.InfoOf(0).DeliveryCount > 1)
            {
                return BatchCollectionTests.CompleteAsync(batch, default);
            }

            return inTheCall ? throw new InvalidOperationException("boom") : ThrowLaterAsync();
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=2");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await HandlerRoute.UntilAsync(() => handler.Batches.Count == 1);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        route.Publisher.Returned.ShouldBe(1);
        handler.Batches.Count.ShouldBe(2, "nothing is retried in process");
        route.LinesOf(5002).ShouldHaveSingleItem().ShouldContain("boom");
        route.LinesOf(5301).ShouldHaveSingleItem().ShouldBe("Route orders: the handler ScriptedBatchHandler threw for a batch");
        route.Route.Breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Fact]
    public async Task Handle_ThrowsAnExceptionWithoutAMessage_ItsMessagesAreAbandoned()
    {
        int calls = 0;
        ScriptedBatchHandler handler =
            new((batch, _) => Interlocked.Increment(ref calls) == 1 ? throw new BrokenException() : BatchCollectionTests.CompleteAsync(batch, default));
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=2");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        route.Publisher.Returned.ShouldBe(2);
        route.LinesOf(5002)[0].ShouldContain(nameof(BrokenException));
    }

    [Fact]
    public async Task Handle_ThrowsForOneBadRowAlways_OnlyThatOneIsDeadLettered()
    {
        ScriptedBatchHandler handler = new((batch, _) => batch.Any(order => order.Id == "bad")
            ? throw new InvalidOperationException("The row is bad.")
            : BatchCollectionTests.CompleteAsync(batch, default));
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=10", "Recoverability:MaxDeliveries=4");

        await BatchCollectionTests.PublishAsync(route, [.. Enumerable.Range(0, 9).Select(i => $"{i}"), "bad"]);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(9);
        route.DeadLetters.Messages.ShouldHaveSingleItem().Description.ShouldBe("Failed on delivery 4: The row is bad.");
    }

    [Fact]
    public async Task Handle_ThrowsPoison_IsNoReasonToDeadLetterABatch()
    {
        int calls = 0;
        ScriptedBatchHandler handler = new(
            (batch, _) => Interlocked.Increment(ref calls) == 1
                ? throw new DeadLetterException("bad", "x")
                : BatchCollectionTests.CompleteAsync(batch, default));
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=2");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Handle_ThrowsTransient_OpensTheBreakerAndTheProbeIsABatchOfOne()
    {
        bool isDown = true;
        ScriptedBatchHandler handler =
            new((batch, _) => isDown ? throw new TransientException("The database is down.") : BatchCollectionTests.CompleteAsync(batch, default));
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(
            handler, "Handlers:Orders:MaxMessages=2", "Handlers:Orders:MaxAge=1h", "Intake:MessageTimeout=2h", "Recoverability:BreakerFailures=3",
            "Recoverability:MaxDeliveries=2");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await route.PassUntilAsync(() => route.Route.Breaker.State == BreakerState.Open);
        isDown = false;
        DateTimeOffset worksAgain = route.Time.GetUtcNow();
        await route.SettleAllAsync();

        (route.Time.GetUtcNow() - worksAgain).ShouldBeLessThan(TimeSpan.FromMinutes(2), "no message waits for MaxAge");
        route.Publisher.Completed.ShouldBe(2);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Settle_RefusedThenThrow_OpensTheBreaker()
    {
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            batch.Settle(0, Settlement.Refused("The password is wrong."));
            throw new InvalidOperationException("x");
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");

        await BatchCollectionTests.PublishAsync(route, "a");

        await route.PassUntilAsync(() => route.Route.Breaker.IsRefused);
        route.Route.Breaker.LastFailure.ShouldBe("The password is wrong.");
    }

    [Fact]
    public async Task Settle_OneTransient_CountsForTheBreakerAndTheOthersAreSettled()
    {
        bool isDown = true;
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            for (int i = 0; i < batch.Count; i++)
            {
                batch.Settle(i, isDown && batch[i].Id == "b" ? Settlement.Transient("The database is down.") : Settlement.Complete);
            }

            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(
            handler, "Handlers:Orders:MaxMessages=2", "Recoverability:BreakerFailures=3", "Recoverability:MaxDeliveries=2");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await route.PassUntilAsync(() => route.Route.Breaker.State == BreakerState.Open);
        route.Route.Breaker.LastFailure.ShouldBe("The database is down.");
        isDown = false;
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    [Fact]
    public async Task Settle_Twice_TheFirstCountsAndTheSecondIsLogged()
    {
        bool? second = null;
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            batch.Settle(0, Settlement.Complete);
            second = batch.Settle(0, Settlement.DeadLetter("x", "y"));
            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");

        await BatchCollectionTests.PublishAsync(route, "a");
        await route.SettleAllAsync();

        second.ShouldBe(false);
        route.Publisher.Completed.ShouldBe(1);
        route.LinesOf(5302).ShouldHaveSingleItem().ShouldContain("ScriptedBatchHandler settled message 0");
    }

    [Fact]
    public async Task Settle_WithDefault_IsAbandonedAndLogged()
    {
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            batch.Settle(0, batch.InfoOf(0).DeliveryCount == 1 ? default : Settlement.Complete);
            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");

        await BatchCollectionTests.PublishAsync(route, "a");
        await route.SettleAllAsync();

        handler.Batches.Count.ShouldBe(2);
        route.LinesOf(5302).ShouldHaveSingleItem().ShouldContain("with default(Settlement)");
    }

    [Fact]
    public async Task Batch_CalledAfterItsEnd_IsRefusedWithoutHarm()
    {
        MessageBatch<Order>? kept = null;
        MessageInfo info = default;
        ScriptedBatchHandler handler = new((batch, _) =>
        {
            if (kept is not null)
            {
                return BatchCollectionTests.CompleteAsync(batch, default);
            }

            kept = batch;
            info = batch.InfoOf(0);
            return default;
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1");

        await BatchCollectionTests.PublishAsync(route, "a");
        await HandlerRoute.UntilAsync(() => route.Publisher.Returned == 1);
        MessageBatch<Order> ended = kept.ShouldNotBeNull();

        ended.Settle(0, Settlement.Complete).ShouldBeFalse();
        ended.SettleRest(Settlement.Complete).ShouldBe(0);
        ended.Count.ShouldBe(1);
        Should.Throw<InvalidOperationException>(() => ended[0]);
        Should.Throw<InvalidOperationException>(() => ended.InfoOf(0));
        Should.Throw<InvalidOperationException>(() => ended.SettlementOf(0));
        Should.Throw<InvalidOperationException>(() => info.DeliveryCount);
        route.LinesOf(5302).ShouldHaveSingleItem().ShouldContain("after the batch had ended");
        await route.SettleAllAsync();
        handler.Batches.Count.ShouldBe(2, "the message was abandoned and redelivered");
    }

    [Fact]
    public async Task Handle_HangsUntilItsTokenEnds_ItsSettlementsCountAndTheRestIsAbandoned()
    {
        ScriptedBatchHandler handler = new(async (batch, cancellationToken) =>
        {
            if (batch.InfoOf(0).DeliveryCount > 1)
            {
                batch.SettleRest(Settlement.Complete);
                return;
            }

            SettleAllBut("b", batch);
            await Task.Delay(Timeout.Infinite, cancellationToken);
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=2", "Intake:MessageTimeout=10s");

        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await HandlerRoute.UntilAsync(() => handler.Batches.Count == 1);
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(2);
        handler.Batches.Count.ShouldBe(2);
        handler.Batches[1].ShouldBe("b");
        route.LinesOf(5002).ShouldHaveSingleItem().ShouldContain("Intake:MessageTimeout");
    }

    [Fact]
    public async Task Handle_IgnoresItsToken_IsReportedAsStuckAndItsDecisionsCountAtItsEnd()
    {
        TaskCompletionSource released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ScriptedBatchHandler handler = new(async (batch, _) =>
        {
            await (batch[0].Id == "slow" ? released.Task : Task.CompletedTask);
            batch.SettleRest(Settlement.Complete);
        });
        await using HandlerRoute route = await BatchCollectionTests.StartAsync(handler, "Handlers:Orders:MaxMessages=1", "Intake:MessageTimeout=10s");

        await BatchCollectionTests.PublishAsync(route, "slow");
        await route.PassUntilAsync(() => route.Route.IsStuck);
        await BatchCollectionTests.PublishAsync(route, "a", "b");
        await route.PassUntilAsync(() => route.Publisher.Completed == 2);
        released.SetResult();
        await route.SettleAllAsync();

        route.Publisher.Completed.ShouldBe(3);
        route.DeadLetters.Messages.ShouldBeEmpty();
    }

    private static void SettleAllBut(string id, MessageBatch<Order> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (batch[i].Id != id)
            {
                batch.Settle(i, Settlement.Complete);
            }
        }
    }

    private static async ValueTask ThrowLaterAsync()
    {
        await Task.Yield();
        throw new InvalidOperationException("boom");
    }
}
