using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

public sealed class SettlementFaultTests
{
    private static readonly byte[] Body = "{\"n\":1}"u8.ToArray();
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Complete_TransientFault_IsRetried()
    {
        await using ServiceBusSourceHarness harness = new();
        int calls = 0;
        harness.Bus.Script = _ => Interlocked.Increment(ref calls) < 3 ? BusFaults.Of(ServiceBusFaultKind.Transient, "busy") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Complete);

        await harness.AdvanceUntilAsync(() => harness.Bus.Count == 0, Step, "The third attempt should have completed it.");
        calls.ShouldBe(3);
        harness.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3305);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Complete_PersistentFault_EndsAfterThreeAttemptsAndContinues()
    {
        await using ServiceBusSourceHarness harness = new(calls: 1);
        harness.Bus.Script = call => call is { MessageId: "a", Delivery: 1 } ? BusFaults.Of(ServiceBusFaultKind.Transient, "busy") : null;
        await harness.StartAsync();
        await harness.PublishAsync(Body, "a");
        await (await harness.ReceiveAsync(Body, "b")).SettleAsync(Settlement.Complete);

        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 2, Step, "The next message should have been received.");

        harness.Bus.Calls.Count(call => call.MessageId == "a").ShouldBe(3);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3305 && entry.Text.Contains("Transient", StringComparison.Ordinal));
        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        harness.Bus.LoseLocks();
        await harness.WaitUntilEmptyAsync();
        harness.Intake.Accepted.ShouldBe(2, "A stored message is completed when it is redelivered, and not stored twice.");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Complete_MessageIsGone_IsNoFailure()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = _ => BusFaults.Of(ServiceBusFaultKind.Gone, "not found");
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Complete);

        await ServiceBusSourceHarness.UntilAsync(() => harness.Bus.Calls.Count == 1, "It should have been completed.");
        await harness.FinishAsync();
        harness.Bus.Calls.Count.ShouldBe(1);
        harness.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3305);
    }

    [Fact]
    public async Task Abandon_Fails_TheMessageIsRedeliveredWhenItsLockEnds()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call is { Operation: "Abandon", Delivery: 1 } ? BusFaults.Of(ServiceBusFaultKind.Other, "no") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Abandon(TimeSpan.Zero));
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3306), "The failure should have been logged.");
        harness.Bus.Locked.ShouldBe(1);

        // A returning call may still renew the lock once.
        await harness.AdvanceUntilAsync(() => harness.Intake.Accepted == 2, FakeBus.LockDuration, "The message should be redelivered when its lock ends.");

        Delivery again = await harness.Intake.NextAsync();
        again.Count.ShouldBe(2);
        await again.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Theory]
    [InlineData(nameof(ServiceBusFaultKind.QuotaExceeded))]
    [InlineData(nameof(ServiceBusFaultKind.Unauthorized))]
    public async Task DeadLetter_Fails_TheMessageIsReturnedAndNotLost(string kind)
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call is { Operation: "DeadLetter", Delivery: 1 } ? BusFaults.Of(kind, "full") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.DeadLetter("malformed-json", "no"));

        Delivery again = await harness.Intake.NextAsync();

        again.Count.ShouldBe(2);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3307 && entry.Text.Contains(kind, StringComparison.Ordinal));
        await again.SettleAsync(Settlement.DeadLetter("malformed-json", "no"));
        (await harness.DeadLettersAsync(1)).ShouldHaveSingleItem();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_DetailsTooLarge_IsSentWithoutThem()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call.Properties.Count > 0 ? BusFaults.Of(ServiceBusFaultKind.Other, "properties too large") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.DeadLetter("malformed-json", "no"));

        await harness.WaitUntilEmptyAsync();
        BusLetter letter = harness.Bus.Letters.ShouldHaveSingleItem();
        letter.Reason.ShouldBe("malformed-json");
        letter.Properties.ShouldBeEmpty();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_LockLost_IsNotAbandonedAndRedelivered()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = call => call.Delivery == 1 ? BusFaults.Of(ServiceBusFaultKind.LockLost, "lost") : null;
        await harness.StartAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.DeadLetter("malformed-json", "no"));
        await ServiceBusSourceHarness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3307), "The failure should have been logged.");

        harness.Bus.LoseLocks();

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.DeadLetter("malformed-json", "no"));
        (await harness.DeadLettersAsync(1)).ShouldHaveSingleItem();
        harness.Bus.Calls.ShouldNotContain(call => call.Operation == "Abandon");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_LongTexts_AreCutToTheServicesLimit()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.DeadLetter(new string('r', 5_000), new string('d', 10_000), "System.Exception"));

        await harness.WaitUntilEmptyAsync();
        BusLetter letter = harness.Bus.Letters.ShouldHaveSingleItem();
        letter.Reason.Length.ShouldBe(4096);
        letter.Description.Length.ShouldBe(4096);
        letter.Properties["DeadLetterDetails"].ShouldBeOfType<string>().ShouldContain("\"route\":\"archive\"");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task DeadLetter_AfterAnException_KeepsItsText()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(
            Settlement.DeadLetter("unhandled-exception", "d") with { Exception = new InvalidOperationException("no customer") });

        await harness.WaitUntilEmptyAsync();
        harness.Bus.Letters.ShouldHaveSingleItem().Properties["DeadLetterDetails"]
            .ShouldBeOfType<string>()
            .ShouldContain("\"exception\":\"System.InvalidOperationException: no customer");
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_UntilMaxDeliveryCount_TheBrokerDeadLettersIt()
    {
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.MaxDeliveryCount = 3;
        harness.Intake.Script = _ => Settlement.Abandon(TimeSpan.Zero);
        await harness.StartAsync();

        await harness.PublishAsync(Body, "a");

        await harness.WaitUntilEmptyAsync();
        harness.Bus.Letters.ShouldHaveSingleItem().Reason.ShouldBe("MaxDeliveryCountExceeded");
        harness.Intake.Accepted.ShouldBe(3);
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Abandon_LongDelay_IsCutToTheLongestTimeAMessageIsKept()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Abandon(TimeSpan.FromHours(1)));

        // Renewals, the watch over settlements, the delay, and the broker's clock.
        await harness.Time.WaitForTimersAsync(4);
        await harness.AdvanceAsync(TimeSpan.FromSeconds(29));
        await harness.Time.WaitForTimersAsync(4);
        harness.Bus.Calls.ShouldBeEmpty("The message stays locked; it is not abandoned.");
        await harness.AdvanceAsync(TimeSpan.FromSeconds(1));

        await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Theory]
    [InlineData(SettlementKind.Complete)]
    [InlineData(SettlementKind.Abandon)]
    [InlineData(SettlementKind.DeadLetter)]
    public async Task Settlement_BrokerDoesNotAnswer_IsReportedUntilItAnswers(SettlementKind kind)
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        harness.Bus.Gate = gate.Task;
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(kind switch
        {
            SettlementKind.Complete => Settlement.Complete,
            SettlementKind.Abandon => Settlement.Abandon(TimeSpan.Zero),
            _ => Settlement.DeadLetter("malformed-json", "no"),
        });

        await harness.AdvanceUntilAsync(() => harness.Source.Problem is not null, Step, "A settlement without an answer should be reported.");

        harness.Source.Problem.ShouldNotBeNull().ShouldStartWith("Service Bus has not answered 1 settlement(s), the oldest for 1");
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3312);
        harness.Bus.Gate = null;
        gate.SetResult();
        await harness.AdvanceUntilAsync(() => harness.Source.Problem is null, Step, "The answer should end the problem.");
        harness.Log.Entries.Count(entry => entry.Id.Id == 3312).ShouldBe(1, "One line per outage.");
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3313);
        if (kind == SettlementKind.Abandon)
        {
            await (await harness.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        }

        await harness.FinishAsync();
    }

    [Fact]
    public async Task Settlement_BrokerIsSlowButAnswers_IsNotReported()
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        harness.Bus.Gate = gate.Task;
        await (await harness.ReceiveAsync(Body, "a")).SettleAsync(Settlement.Complete);

        for (int second = 0; second < 8; second++)
        {
            await harness.Time.WaitForTimersAsync(3);
            await harness.AdvanceAsync(Step);
            harness.Source.Problem.ShouldBeNull();
        }

        gate.SetResult();
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
        harness.Log.Entries.ShouldBeEmpty();
    }
}
