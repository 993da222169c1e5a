using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

public sealed class StopTests
{
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();

    [Fact]
    public async Task Stop_KeptMessages_AreAbandonedImmediately()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(20)));

        await harness.FinishAsync();

        harness.Bus.Calls.ShouldHaveSingleItem().Operation.ShouldBe("Abandon");
        harness.Bus.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Stop_MessagesSentDuringTheDrain_AreNotLocked()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        Delivery inFlight = await harness.ReceiveAsync(Body, "a");

        await harness.StopReceivingAsync();
        await UntilClosedAsync(harness);
        await harness.PublishAsync(Body, "b");
        await harness.PublishAsync(Body, "c");

        harness.Bus.Locked.ShouldBe(1, "Only messages in flight are locked.");
        await inFlight.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Bus.Count.ShouldBe(2);
    }

    [Fact]
    public async Task Stop_MessageInFlightForLong_KeepsItsLockUntilItIsSettled()
    {
        const int Renewals = 10;
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery inFlight = await harness.ReceiveAsync(Body, "a");
        await harness.StopReceivingAsync();
        await UntilClosedAsync(harness);

        for (int i = 0; i < Renewals; i++)
        {
            await harness.AdvanceAsync(FakeBus.LockDuration / 2);
            await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Renewals == i + 1, "The lock should be renewed at half of its time.");
        }

        await inFlight.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Bus.Calls.ShouldHaveSingleItem().ShouldBe(new BusCall("Complete", "a", 1, []), new BusCallComparer());
        harness.Bus.Count.ShouldBe(0);
    }

    [Fact]
    public async Task Stop_RenewalFails_IsLoggedAndRetriedWhileTransient()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery inFlight = await harness.ReceiveAsync(Body, "a");
        await harness.StopReceivingAsync();
        await UntilClosedAsync(harness);

        harness.Bus.RenewFault = BusFaults.Of(ServiceBusFaultKind.Transient, "busy");
        await harness.AdvanceAsync(FakeBus.LockDuration / 2);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3308), "The failure should be logged.");
        harness.Bus.RenewFault = null;
        await harness.AdvanceAsync(FakeBus.LockDuration / 4);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Renewals == 1, "The lock should be renewed before it ends.");

        await inFlight.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Bus.Count.ShouldBe(0);
    }

    [Fact]
    public async Task Stop_SettlementsInFlight_AreAwaitedByTheClose()
    {
        await using ServiceBusSourceHarness harness = new();
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await harness.StartAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");
        harness.Bus.Gate = gate.Task;
        await delivery.SettleAsync(Settlement.Complete);
        await harness.StopReceivingAsync();

        Task closing = harness.Source.CloseAsync(CancellationToken.None);
        closing.IsCompleted.ShouldBeFalse("The completion is still in flight.");
        gate.SetResult();
        await closing.WaitAsync(TimeSpan.FromSeconds(30));

        harness.Bus.Count.ShouldBe(0);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Close_TimeoutEnds_ThrowsAndLosesNothing()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Delivery delivery = await harness.ReceiveAsync(Body, "a");
        await harness.StopReceivingAsync();

        await Should.ThrowAsync<OperationCanceledException>(harness.Source.CloseAsync(new CancellationToken(canceled: true)));

        harness.Bus.Count.ShouldBe(1);
        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await harness.FinishAsync();
        harness.Bus.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Stop_MessageArrivesAfterIt_IsAbandonedWithoutHandling()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 1);
        Delivery delivery = await harness.ReceiveAsync(Body, "a");
        harness.Bus.LoseLocks();
        await harness.StopReceivingAsync();

        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await harness.FinishAsync();

        harness.Intake.Accepted.ShouldBe(1);
        harness.Bus.Count.ShouldBe(1);
        harness.Bus.Letters.ShouldBeEmpty();
    }

    [Fact]
    public async Task Stop_ManyInFlightAndMoreWaiting_EachIsStoredOrStillInTheQueue()
    {
        const int Messages = 500;
        await using ServiceBusSourceHarness harness = new(calls: 16);
        int stored = 0;
        harness.Intake.Script = _ =>
        {
            Interlocked.Increment(ref stored);
            return Settlement.Complete;
        };
        for (int i = 0; i < Messages; i++)
        {
            await harness.PublishAsync(Body, $"m{i}");
        }

        await harness.StartAsync();
        await ServiceBusSourceHarness.UntilAsync(() => stored > 50, "It should have begun.");
        await harness.FinishAsync();

        (stored + harness.Bus.Count).ShouldBe(Messages);
        harness.Bus.Calls.Count(call => call.Operation == "Abandon").ShouldBeLessThanOrEqualTo(16, "Behind the stop a call brings one message at most.");
    }

    [Fact]
    public async Task Stop_MessageArrivesWhileTheLinkCloses_IsAbandonedOnceItIsClosed()
    {
        await using ServiceBusSourceHarness harness = new(calls: 12);
        TaskCompletionSource close = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await harness.StartAsync();
        await harness.UntilReceivingAsync();
        harness.Bus.CloseGate = close.Task;
        await harness.StopReceivingAsync();

        await harness.PublishAsync(Body, "a");
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.HandedOut == 1, "The open link should receive it.");
        harness.Bus.Calls.ShouldBeEmpty("The open link would receive it again, once per call, up to the limit of deliveries.");
        close.SetResult();
        await harness.FinishAsync();

        harness.Bus.Calls.ShouldHaveSingleItem().Operation.ShouldBe("Abandon");
        harness.Bus.HandedOut.ShouldBe(1);
        harness.Bus.Letters.ShouldBeEmpty();
    }

    [Fact]
    public async Task Stop_BrokerDoesNotAnswer_ItsReceivesEndAfterTheLimit()
    {
        await using ServiceBusSourceHarness harness = new(calls: 3);
        TaskCompletionSource close = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await harness.StartAsync();
        await harness.UntilReceivingAsync();
        harness.Bus.CloseGate = close.Task;

        await harness.StopReceivingAsync();
        await harness.AdvanceAsync(TimeSpan.FromSeconds(4.9));
        harness.Bus.Waiting.ShouldBe(3);
        await harness.AdvanceUntilAsync(() => harness.Bus.Waiting == 0, TimeSpan.FromSeconds(0.1), "The receives should be cancelled.");

        // The receives end before the thread that closes the links has logged.
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Count > 0, "The failure should be logged.");
        harness.Log.Entries.ShouldHaveSingleItem().Text.ShouldStartWith("Route archive: closing the links failed");
        close.SetResult();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Close_ReceiveThatDoesNotEnd_WaitsForTheSettlementsOnly()
    {
        await using ServiceBusSourceHarness harness = new(calls: 2);
        await harness.StartAsync();
        Delivery inFlight = await harness.ReceiveAsync(Body, "a");
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Waiting == 1, "The other call should receive.");
        harness.Bus.HoldsReceives = true;
        await harness.StopReceivingAsync();

        Task closing = harness.Source.CloseAsync(CancellationToken.None);
        for (int second = 0; second < 20; second++)
        {
            await harness.AdvanceAsync(TimeSpan.FromSeconds(1));
            await Task.Delay(1);
        }

        closing.IsCompleted.ShouldBeFalse("A message is in flight.");
        await inFlight.SettleAsync(Settlement.Complete);
        await harness.AdvanceUntilAsync(() => closing.IsCompleted, TimeSpan.FromSeconds(1), "The close waits for a receive that does not end.");
        harness.Bus.Count.ShouldBe(0);
        harness.Bus.HoldsReceives = false;
        harness.Bus.EndReceives();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Dispose_Twice_DisposesEachClientOnce()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await harness.FinishAsync();

        await harness.Source.DisposeAsync();

        harness.Bus.Clients.Select(client => client.Disposals).ShouldBe([1, 1]);
    }

    [Fact]
    public async Task Dispose_LinkThatNeverCloses_DoesNotBlockTheProcess()
    {
        ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        await harness.Intake.NextAsync();
        harness.Bus.CloseGate = new TaskCompletionSource().Task;
        await harness.StopReceivingAsync();

        Task disposing = harness.Source.DisposeAsync().AsTask();
        await harness.AdvanceUntilAsync(() => disposing.IsCompleted, TimeSpan.FromSeconds(1), "It should not wait for ever.");

        await disposing;
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3309);
    }

    private static Task UntilClosedAsync(ServiceBusSourceHarness harness) =>
        ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Links.All(link => link.IsClosed), "The links should close though a message is in flight.");
}
