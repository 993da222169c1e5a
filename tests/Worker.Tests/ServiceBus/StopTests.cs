using Messaging.AzureServiceBus.Port;
using Pipeline.Settlements;

namespace Worker.Tests.ServiceBus;

public sealed class StopTests
{
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();

    [Fact]
    public async Task Stop_KeptMessages_AreAbandonedAtOnce()
    {
        await using ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(20)));

        await harness.FinishAsync();

        harness.Bus.Calls.ShouldHaveSingleItem().Operation.ShouldBe("Abandon");
        harness.Bus.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Stop_MessagesSentDuringTheDrain_AreNotLocked()
    {
        await using ServiceBusSourceHarness harness = new(calls: 4);
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        Delivery inFlight = await harness.Intake.NextAsync();

        await harness.StopReceivingAsync();
        await ServiceBusSourceHarness.UntilAsync(() => !harness.Pump.IsLinkOpen, "The link should close though a message is in flight.");
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
        await using ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        Delivery inFlight = await harness.Intake.NextAsync();
        await harness.StopReceivingAsync();
        await ServiceBusSourceHarness.UntilAsync(() => !harness.Pump.IsLinkOpen, "The link should close though a message is in flight.");

        for (int i = 0; i < Renewals; i++)
        {
            await harness.Time.WaitForTimersAsync(1);
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
        await using ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        Delivery inFlight = await harness.Intake.NextAsync();
        await harness.StopReceivingAsync();
        await ServiceBusSourceHarness.UntilAsync(() => !harness.Pump.IsLinkOpen, "The link should close though a message is in flight.");

        await harness.Time.WaitForTimersAsync(1);
        harness.Bus.RenewFault = new ServiceBusFault(ServiceBusFaultKind.Transient, "busy");
        await harness.AdvanceAsync(FakeBus.LockDuration / 2);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3308), "The failure should be logged.");
        await harness.Time.WaitForTimersAsync(1);
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
        await harness.PublishAsync(Body, "a");
        Delivery delivery = await harness.Intake.NextAsync();
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
        await using ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        Delivery delivery = await harness.Intake.NextAsync();
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
        await using ServiceBusSourceHarness harness = new(calls: 1);
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        Delivery delivery = await harness.Intake.NextAsync();
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
    public async Task Stop_EveryCallIsAboutToReceive_TheFirstMessageIsNotDeadLettered()
    {
        const int Calls = 12;
        await using ServiceBusSourceHarness harness = new(Calls);
        using SemaphoreSlim receive = new(0);
        harness.Bus.ReceiveGate = receive;
        await harness.StartAsync();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.GatedReceives == Calls, "Each call should be about to receive.");
        await harness.PublishAsync(Body, "a");

        Task stopping = harness.StopReceivingAsync();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Pump.Stops == 1, "It should stop.");
        for (int call = 1; call <= Calls; call++)
        {
            receive.Release();
            await ServiceBusSourceHarness.UntilAsync(() => harness.Pump.Returned + harness.Bus.EmptyReceives >= call, "Each call should receive once.");
        }

        await stopping;
        await harness.FinishAsync();

        harness.Bus.Letters.ShouldBeEmpty();
        harness.Bus.Calls.Count(call => call.Operation == "Abandon").ShouldBeLessThanOrEqualTo(1);
    }

    [Fact]
    public async Task Dispose_Twice_DisposesThePumpOnce()
    {
        await using ServiceBusSourceHarness harness = new();
        await harness.StartAsync();
        await harness.FinishAsync();

        await harness.Source.DisposeAsync();

        harness.Pump.IsDisposed.ShouldBeTrue();
        harness.Pump.Stops.ShouldBe(2, "Once at the stop, once by its own disposal.");
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
}
