using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

public sealed class LockLossTests
{
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();

    [Fact]
    public async Task Lock_LongHandling_IsRenewed()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");

        await harness.AdvanceAsync(TimeSpan.FromMinutes(10));

        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
        harness.Bus.Calls.ShouldBe([new BusCall("Complete", "a", 1, [])], new BusCallComparer());
    }

    [Fact]
    public async Task Lock_RenewalFails_IsCountedAndTheMessageIsHandledOnce()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.RenewFault = BusFaults.Of(ServiceBusFaultKind.Transient, "busy");
        await harness.StartAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");

        await harness.AdvanceAsync(TimeSpan.FromMinutes(2));

        await UntilRedeliveredAsync(harness);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3308 && entry.Text.Contains("busy", StringComparison.Ordinal));
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
    }

    [Fact]
    public async Task Redelivery_WhileInFlight_IsNotHandledAndCompletedUnderItsOwnLock()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");

        harness.Bus.LoseLocks();
        await UntilRedeliveredAsync(harness);
        await delivery.SettleAsync(Settlement.Complete);

        await harness.WaitUntilEmptyAsync();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Calls.Count == 2, "Both deliveries should have been completed.");
        harness.Bus.Calls.ShouldAllBe(call => call.Operation == "Complete");
        harness.Bus.Calls.Select(call => call.Delivery).ShouldBe([1, 2], ignoreOrder: true);
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
    }

    [Fact]
    public async Task Redelivery_WhileInFlight_IsDeadLetteredUnderItsOwnLock()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");
        harness.Bus.LoseLocks();
        await UntilRedeliveredAsync(harness);

        await delivery.SettleAsync(Settlement.DeadLetter("malformed-json", "no"));

        (await harness.DeadLettersAsync(1)).ShouldHaveSingleItem().Reason.ShouldBe("malformed-json");
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Redelivery_AfterItWasStored_IsCompletedWithoutHandling()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call is { Operation: "Complete", Delivery: 1 } ? BusFaults.Of(ServiceBusFaultKind.LockLost, "gone") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Complete);
        await ServiceBusSourceHarness.UntilAsync(
            () => harness.Log.Entries.Any(entry => entry.Id.Id == 3305), "It was not reported that it could not be completed.");
        harness.Bus.Count.ShouldBe(1, "The lock was lost, so the message is still there.");

        harness.Bus.LoseLocks();

        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(1);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Redelivery_AfterItWasStoredAndForgotten_IsHandledAgain()
    {
        await using ServiceBusSourceHarness harness = new(doneIds: 0);
        harness.Bus.Script = call => call is { Operation: "Complete", Delivery: 1 } ? BusFaults.Of(ServiceBusFaultKind.LockLost, "gone") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Complete);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Calls.Count == 1, "It should have been completed.");

        harness.Bus.LoseLocks();

        Delivery again = await harness.Intake.NextAsync();
        again.Count.ShouldBe(2);
        await again.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Queue_Recreated_ItsMessagesAreNotTakenForSettledOnes()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await (await harness.ReceiveAsync(Body, "old")).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();

        harness.Bus.Recreate();
        await harness.AdvanceAsync(TimeSpan.FromSeconds(1));
        await harness.PublishAsync("{\"n\":2}"u8.ToArray(), "new");

        Delivery delivery = await harness.Intake.NextAsync();
        delivery.Id.ShouldBe("new");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Lock_HeldBeyondTheLongestRenewal_IsRedeliveredAndSettledOnce()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");

        await harness.AdvanceAsync(ServiceBusSourceOptions.LongestHold);
        harness.Bus.HandedOut.ShouldBe(1);
        await harness.AdvanceAsync(TimeSpan.FromMinutes(5));

        await UntilRedeliveredAsync(harness);
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
    }

    [Fact]
    public async Task GetHoldTime_HalfOfTheDeliveriesUsed_IsLongerThanMaxLockRenewalAndLogged()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(maxLockRenewal: TimeSpan.FromMinutes(3));
        await harness.PublishAsync(Body, "a");
        for (int delivery = 1; delivery < 5; delivery++)
        {
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        }

        Delivery fifth = await harness.Intake.NextAsync();
        await harness.AdvanceAsync(TimeSpan.FromMinutes(3));

        fifth.Message.TryHold().ShouldBeGreaterThan(TimeSpan.FromMinutes(3));
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3310);
        await fifth.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    private static Task UntilRedeliveredAsync(ServiceBusSourceHarness harness) =>
        ServiceBusSourceHarness.UntilAsync(() => harness.Bus.HandedOut > 1, "The message in flight was not redelivered.");
}
