using System.Collections.Concurrent;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ReceivingTests
{
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Link_LostAndRestored_IsLoggedAndReceivingContinues()
    {
        // One call: the failure of a second call could arrive after the message that ends the outage.
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 1);
        harness.Source.Problem.ShouldBeNull();

        harness.Bus.ReceiveFault = BusFaults.Of(ServiceBusFaultKind.Transient, "the link was detached");
        await harness.PublishAsync(Body, "a");
        await ServiceBusSourceHarness.UntilAsync(() => harness.Source.Problem is not null, "The problem should show.");
        harness.Source.Problem.ShouldNotBeNull().ShouldStartWith("the link was detached");
        harness.Bus.ReceiveFault = null;
        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 1, Step, "The call should receive again after a pause.");

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        harness.Source.Problem.ShouldBeNull();
        harness.Bus.Links.ShouldHaveSingleItem().IsClosed.ShouldBeFalse("The client opens a lost link again by itself.");
        harness.Log.Entries.Count(entry => entry.Id.Id == 3301).ShouldBe(1, "One line for an outage.");
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3303), "The recovery should be reported.");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_LinksCannotBeCreated_GivesTheSlotsBack()
    {
        await using ServiceBusSourceHarness harness = new(calls: 4);
        harness.Bus.LinkFault = new InvalidOperationException("a test's");

        await Should.ThrowAsync<InvalidOperationException>(harness.Source.ReceiveAsync(harness.Intake, TestContext.Current.CancellationToken));

        harness.Intake.Balance.ShouldBe(0, "A source that is started again would find no slots.");
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized))]
    [InlineData(nameof(ServiceBusFaultKind.NotFound))]
    [InlineData(nameof(ServiceBusFaultKind.Disabled))]
    [InlineData(nameof(ServiceBusFaultKind.SessionsRequired))]
    [InlineData(nameof(ServiceBusFaultKind.QuotaExceeded))]
    [InlineData(nameof(ServiceBusFaultKind.Other))]
    public async Task Problem_RefusalEndedOnAnIdleQueue_EndsWhenTheBrokerAnswers(string kind)
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 1);
        harness.Bus.ReceiveFault = harness.Bus.CheckFault = BusFaults.Of(kind, "refused");
        harness.Bus.Pulse();
        await UntilRunEndedAsync(harness);
        harness.Source.Problem.ShouldNotBeNull().ShouldContain("refused");

        harness.Bus.ReceiveFault = harness.Bus.CheckFault = null;
        DateTimeOffset ended = harness.Time.GetUtcNow();
        await harness.AdvanceUntilAsync(() => harness.Source.Problem is null, Step, "The broker should be asked again.");

        (harness.Time.GetUtcNow() - ended).ShouldBeLessThan(TimeSpan.FromMinutes(1.5));
        harness.Intake.Accepted.ShouldBe(0, "No message was needed.");
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3303), "The recovery should be reported.");
        await harness.FinishAsync();
    }

    [Fact]
    public void Problem_RunHasEnded_AnAnswerToACheckDoesNotEndIt()
    {
        ReceiveHealth health = new(new ServiceBusSourceLog(NullLogger.Instance, "archive", TimeProvider.System));
        health.Failed(new ServiceBusFault(ServiceBusFaultKind.Other, "refused"));
        health.IsRunning = false;

        health.Answered(health.Failures);
        health.Problem.ShouldBe("refused", "Nothing is received while the source pauses.");
        health.IsInDoubt.ShouldBeFalse("To ask is of no use before the next start.");

        health.IsRunning = true;
        health.IsInDoubt.ShouldBeTrue();
        health.Answered(health.Failures);
        health.Problem.ShouldBeNull();
    }

    [Fact]
    public void Problem_FailureDuringTheCheck_AnAnswerToTheCheckDoesNotEndIt()
    {
        ReceiveHealth health = new(new ServiceBusSourceLog(NullLogger.Instance, "archive", TimeProvider.System));
        health.Failed(new ServiceBusFault(ServiceBusFaultKind.Transient, "first"));
        int before = health.Failures;
        health.Failed(new ServiceBusFault(ServiceBusFaultKind.Transient, "second"));

        health.Answered(before);

        health.Problem.ShouldBe("second");
    }

    [Fact]
    public async Task Receive_MessageCannotBeConverted_OtherMessagesAreReceived()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 1);
        harness.Bus.ReceiveFault = BusFaults.Of(ServiceBusFaultKind.Unreadable, "Value cannot be null.");
        harness.Bus.Pulse();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3311), "It should be reported.");
        harness.Source.Problem.ShouldBeNull("The broker delivers messages.");
        harness.Bus.ReceiveFault = null;
        await (await harness.ReceiveAsync(Body, "b")).SettleAsync(Settlement.Complete);

        await harness.WaitUntilEmptyAsync();
        harness.Bus.Links.ShouldHaveSingleItem().IsClosed.ShouldBeFalse("No time has passed: the run neither ends nor pauses.");
        harness.Log.Entries.ShouldAllBe(entry => entry.Id.Id == 3311);
        harness.Log.Entries[0].Text.ShouldContain("Value cannot be null.");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Problem_ConnectionLostOnAnIdleQueue_EndsWhenTheBrokerAnswers()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        harness.Bus.ReceiveFault = harness.Bus.CheckFault = BusFaults.Of(ServiceBusFaultKind.Transient, "down");
        harness.Bus.Pulse();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Source.Problem is not null, "The problem should show.");

        await harness.AdvanceAsync(TimeSpan.FromMinutes(10));
        harness.Source.Problem.ShouldNotBeNull("It counts until the broker answers.").ShouldStartWith("down");
        harness.Bus.ReceiveFault = harness.Bus.CheckFault = null;
        await harness.AdvanceUntilAsync(() => harness.Source.Problem is null, Step, "The broker should be asked again.");

        harness.Intake.Accepted.ShouldBe(0, "No message was needed.");
        await harness.FinishAsync();
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized))]
    [InlineData(nameof(ServiceBusFaultKind.NotFound))]
    [InlineData(nameof(ServiceBusFaultKind.Disabled))]
    [InlineData(nameof(ServiceBusFaultKind.Other))]
    public async Task Receive_Refused_PausesAndRetries(string kind)
    {
        await using ServiceBusSourceHarness harness = new(calls: 20);
        harness.Bus.ReceiveFault = BusFaults.Of(kind, "refused");
        await harness.PublishAsync(Body, "a");
        await harness.StartAsync();
        await UntilRunEndedAsync(harness);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3304);
        harness.Bus.Links.ShouldHaveSingleItem("No time has passed, so the source still pauses.").IsClosed.ShouldBeTrue();
        harness.Intake.Balance.ShouldBe(0, "Who rests holds no slots.");
        harness.Source.Problem.ShouldNotBeNull().ShouldContain("refused");

        harness.Bus.ReceiveFault = null;
        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 1, Step, "It should have started again.");

        harness.Bus.Links.Count.ShouldBe(2);
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Refused_WithAMessageInFlight_ReceivesAgainBeforeItIsSettled()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 2);
        Delivery held = await harness.ReceiveAsync(Body, "a");
        harness.Bus.ReceiveFault = BusFaults.Of(ServiceBusFaultKind.Unauthorized, "refused");
        harness.Bus.Pulse();
        await UntilRunEndedAsync(harness);
        harness.Bus.ReceiveFault = null;
        await harness.PublishAsync(Body, "b");

        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 2, Step, "A message in flight should not keep the route from receiving.");

        harness.Bus.Links.Count.ShouldBe(2);
        harness.Intake.Unsettled.ShouldBe(2);
        harness.Source.Problem.ShouldBeNull();
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await held.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Refused_MessageOfAnEarlierRunInFlight_IsAwaitedByTheClose()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 2);
        Delivery held = await harness.ReceiveAsync(Body, "a");
        harness.Bus.ReceiveFault = BusFaults.Of(ServiceBusFaultKind.Unauthorized, "refused");
        harness.Bus.Pulse();
        await UntilRunEndedAsync(harness);
        harness.Bus.ReceiveFault = null;
        await harness.AdvanceUntilAsync(() => harness.Bus.Links.Count == 2, Step, "It should have started again.");
        await harness.StopReceivingAsync();

        Task closing = harness.Source.CloseAsync(CancellationToken.None);
        closing.IsCompleted.ShouldBeFalse("The message of the first run is still in flight.");
        await held.SettleAsync(Settlement.Complete);
        await closing.WaitAsync(TimeSpan.FromSeconds(30));

        harness.Bus.Count.ShouldBe(0);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Refused_StopFailsUnexpectedly_ReceivesAgain()
    {
        await using ServiceBusSourceHarness harness = new(calls: 1);
        harness.Bus.CloseFault = new InvalidOperationException("a defect");
        await harness.StartAsync();
        harness.Bus.ReceiveFault = BusFaults.Of(ServiceBusFaultKind.Other, "refused");
        harness.Bus.Pulse();
        await UntilRunEndedAsync(harness);
        harness.Bus.ReceiveFault = null;
        await harness.PublishAsync(Body, "a");

        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 1, Step, "It should have started again.");

        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3309);
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Intake_PausedWhileMessagesWait_ReceivesNoMoreThanSlotsAndRaisesNoDeliveryCount()
    {
        const int Calls = 4;
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(Calls);
        for (int i = 0; i < 20; i++)
        {
            await harness.PublishAsync(Body, $"m{i}");
        }

        Delivery[] inWork =
            [await harness.Intake.NextAsync(), await harness.Intake.NextAsync(), await harness.Intake.NextAsync(), await harness.Intake.NextAsync()];
        harness.Intake.Pause();
        foreach (Delivery delivery in inWork)
        {
            await delivery.SettleAsync(Settlement.Complete);
        }

        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Calls.Count == Calls, "The messages in flight should have been completed.");
        await harness.Intake.UntilReservingAsync();
        harness.Bus.Locked.ShouldBe(0, "Nothing is received for which there is no slot.");
        await harness.AdvanceAsync(TimeSpan.FromMinutes(30));
        harness.Intake.Accepted.ShouldBe(Calls);
        harness.Bus.Count.ShouldBe(20 - Calls);

        ConcurrentQueue<int> deliveries = [];
        harness.Intake.Script = delivery =>
        {
            deliveries.Enqueue(delivery.Count);
            return Settlement.Complete;
        };
        harness.Intake.Resume();
        await harness.WaitUntilEmptyAsync();
        deliveries.Count.ShouldBe(20 - Calls);
        deliveries.ShouldAllBe(count => count == 1, "Nothing was delivered while receiving paused.");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Intake_PausedByTheOperatorOnAnIdleQueue_ReceivesNothingUntilItIsResumed()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync(calls: 4);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Links.Count == 1, "It should have started.");

        harness.Intake.PauseByOperator();
        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Links[0].IsClosed, "Its idle calls should end.");
        await harness.PublishAsync(Body, "a");
        await harness.AdvanceUntilAsync(() => harness.Intake.IsReserving, Step, "It should wait for slots.");

        harness.Intake.Accepted.ShouldBe(0);
        harness.Intake.Resume();
        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 1, Step, "It should receive again.");
        Delivery delivery = await harness.Intake.NextAsync();
        delivery.Count.ShouldBe(1);
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Start_ManyCalls_AtMostTwentyShareALink()
    {
        await using ServiceBusSourceHarness harness = new(calls: 41);

        await harness.StartAsync();

        await harness.UntilReceivingAsync();
        harness.Bus.Links.Count.ShouldBe(3);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Slots_AreNeverMoreThanTheCalls()
    {
        await using ServiceBusSourceHarness harness = new(calls: 3);
        harness.Intake.Script = _ => Settlement.Complete;
        await harness.StartAsync();
        for (int i = 0; i < 200; i++)
        {
            await harness.PublishAsync(Body, $"m{i}");
        }

        await harness.WaitUntilEmptyAsync();

        harness.Intake.MaxUnsettled.ShouldBeInRange(1, 3);
        await ServiceBusSourceHarness.UntilAsync(() => harness.Intake.Balance == 3, "Each idle call has one slot in hand.");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Message_WithoutId_IsKnownByItsNumber()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        harness.Bus.Publish(Body, id: null, new Dictionary<string, object>(StringComparer.Ordinal) { ["tenant"] = "a", ["retries"] = 3, ["urgent"] = true });

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Id.ShouldBe("sequence-1");
        delivery.Message.Attributes.ShouldBe(
            [KeyValuePair.Create("tenant", "a"), KeyValuePair.Create("retries", "3"), KeyValuePair.Create("urgent", "true")], ignoreOrder: true);
        delivery.EnqueuedAt.ShouldBe(harness.Time.GetUtcNow());
        await delivery.SettleAsync(Settlement.Complete);
        harness.Bus.HasNoTimes = true;
        Delivery other = await harness.ReceiveAsync(Body, "timeless");
        other.EnqueuedAt.ShouldBeNull();
        await other.SettleAsync(Settlement.DeadLetter("poison", "a test's"));
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Message_Properties_AreFoundByName()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        harness.Bus.Publish(
            Body, "id-1", new Dictionary<string, object>(StringComparer.Ordinal) { ["retries"] = 3, ["subject"] = "the application's" }, session: "s-1",
            subject: "created");

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Message.FindAttribute("retries").ShouldBe("3");
        delivery.Message.FindAttribute("subject").ShouldBe("the application's");
        delivery.Message.FindAttribute("none").ShouldBeNull();
        delivery.Message.FindSystemProperty("subject").ShouldBe("created");
        delivery.Message.FindSystemProperty("content-type").ShouldBeNull();
        delivery.Message.Group.ShouldBe("s-1");
        delivery.Message.DeduplicationId.ShouldBe("id-1");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Logs_HoldNoBodyAndNoConnectionString()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call.Delivery == 1 ? BusFaults.Of(ServiceBusFaultKind.Other, "no") : null;
        await harness.StartAsync();
        foreach (Settlement settlement in new[] { Settlement.Complete, Settlement.Abandon(TimeSpan.Zero), Settlement.DeadLetter("x", "y") })
        {
            await harness.PublishAsync("{\"canary\":\"body-4711\"}"u8.ToArray());
            await (await harness.Intake.NextAsync()).SettleAsync(settlement);
        }

        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Count >= 3, "All three should have failed and been logged.");
        string text = string.Join('\n', harness.Log.Entries.Select(entry => entry.Text));
        text.ShouldNotContain("4711");
        text.ShouldNotContain("SharedAccessKey");
    }

    private static Task UntilRunEndedAsync(ServiceBusSourceHarness harness) =>
        ServiceBusSourceHarness.UntilAsync(
            () => harness.Log.Entries.Any(entry => entry.Id.Id == 3304) && harness.Bus.Links is [.., { IsClosed: true }],
            "The run should end and the source pause.");
}
