using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>Messages that time out, handlers that ignore the timeout, and the drain timeout.</summary>
public sealed class MessageIntakeTimeoutTests
{
    // The intake checks every half second.
    private static readonly TimeSpan Watch = TimeSpan.FromSeconds(1);

    // Grace for a cancelled call to end.
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(15);

    [Fact]
    public async Task Timeout_HandlerObservesItsToken_TheMessageIsReturned()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IntakeFixture fixture = new(context => WaitForCancellationAsync(context, started));
        TestMessage message = fixture.Accept();
        await started.Task;

        fixture.Time.Advance(fixture.Options.MessageTimeout);
        message.IsSettled.ShouldBeFalse();
        fixture.Time.Advance(Watch);

        Settlement settlement = await message.Settled;
        settlement.Kind.ShouldBe(SettlementKind.Abandon);
        settlement.Description.ShouldBe("The message took longer than Intake:MessageTimeout.");
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse();
    }

    [Fact]
    public async Task Timeout_OnTheLastDelivery_IsDeadLettered()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IntakeFixture fixture = new(context => WaitForCancellationAsync(context, started));
        TestMessage message = fixture.Accept(new TestMessage { Deliveries = fixture.Recoverability.MaxDeliveries });
        await started.Task;

        fixture.Time.Advance(fixture.Options.MessageTimeout + Watch);

        (await message.Settled).Reason.ShouldBe("deliveries-exhausted");
    }

    [Fact]
    public async Task Timeout_HandlerStillFinishes_ItsDecisionCounts()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            started.SetResult();
            await gate.Task;
            await IntakeFixture.CompleteAsync(context);
        });
        TestMessage message = fixture.Accept();
        await started.Task;

        fixture.Time.Advance(fixture.Options.MessageTimeout + Watch);
        gate.SetResult();

        (await message.Settled).Kind.ShouldBe(SettlementKind.Complete);
    }

    [Fact]
    public async Task Timeout_HandlerIgnoresItsToken_IsStuckAndNeverAcknowledged()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            started.SetResult();
            await gate.Task;
            context.CancellationToken.ThrowIfCancellationRequested();
            await IntakeFixture.CompleteAsync(context);
        });
        TestMessage message = fixture.Accept();
        await started.Task;
        fixture.Time.Advance(fixture.Options.MessageTimeout + Grace);
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse("its grace has not ended");

        fixture.Time.Advance(Watch);
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeTrue();
        fixture.Time.Advance(TimeSpan.FromHours(1));

        message.IsSettled.ShouldBeFalse();
        fixture.Intake.InFlight.ShouldBe(1);
        fixture.Intake.OldestAge.ShouldBeGreaterThan(TimeSpan.FromHours(1));
        fixture.Logger.Of(5003).ShouldHaveSingleItem().Level.ShouldBe(LogLevel.Critical);

        gate.SetResult();
        (await message.Settled).Kind.ShouldBe(SettlementKind.Abandon);
        await fixture.DrainAsync();
        fixture.Time.Advance(Watch);
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse();
        fixture.Intake.OldestAge.ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public async Task Settlement_DoesNotEnd_IsStuckAndHasAnAge()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new();
        TestMessage message = fixture.Accept(new TestMessage { OnSettle = () => new ValueTask(gate.Task) });
        await message.Settled;
        fixture.Time.Advance(Watch);
        fixture.Time.Advance(fixture.Options.MessageTimeout + Grace - Watch);
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse("its grace has not ended");

        fixture.Time.Advance(Watch + Watch);

        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeTrue();
        fixture.Intake.OldestAge.ShouldBeGreaterThan(fixture.Options.MessageTimeout);
        fixture.Logger.Of(5003).ShouldHaveSingleItem().Level.ShouldBe(LogLevel.Critical);
        gate.SetResult();
        await fixture.DrainAsync();
        fixture.Time.Advance(Watch);
        fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse();
        fixture.Intake.OldestAge.ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public async Task Timeout_OfOneMessage_LeavesYoungerOnesAlone()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await gate.Task.WaitAsync(context.CancellationToken);
            await IntakeFixture.CompleteAsync(context);
        });
        TestMessage old = fixture.Accept();
        fixture.Time.Advance(fixture.Options.MessageTimeout);
        TestMessage young = fixture.Accept();

        fixture.Time.Advance(Watch);
        (await old.Settled).Kind.ShouldBe(SettlementKind.Abandon);
        young.IsSettled.ShouldBeFalse();
        gate.SetResult();

        (await young.Settled).Kind.ShouldBe(SettlementKind.Complete);
    }

    [Fact]
    public async Task Timeout_NextMessageInTheSameSlot_HasAFreshToken()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ConcurrentQueue<bool> cancelledAtStart = [];
        await using IntakeFixture fixture = new(
            context =>
            {
                cancelledAtStart.Enqueue(context.CancellationToken.IsCancellationRequested);
                return cancelledAtStart.Count == 1 ? WaitForCancellationAsync(context, started) : IntakeFixture.CompleteAsync(context);
            },
            concurrency: 1);
        TestMessage first = fixture.Accept();
        await started.Task;
        fixture.Time.Advance(fixture.Options.MessageTimeout + Watch);
        await first.Settled;
        await fixture.DrainAsync();

        (await fixture.RunAsync()).Kind.ShouldBe(SettlementKind.Complete);

        cancelledAtStart.ShouldBe([false, false]);
    }

    [Fact]
    public async Task Timeout_WhileMessagesEnd_NeverCancelsTheNextMessage()
    {
        Task end = Task.CompletedTask;
        await using IntakeFixture fixture = new(
            async context =>
            {
                await Volatile.Read(ref end);
                await IntakeFixture.CompleteAsync(context);
            },
            concurrency: 1);
        fixture.Options.MessageTimeout = TimeSpan.FromMilliseconds(1);

        for (int i = 0; i < 1_000; i++)
        {
            TaskCompletionSource ending = new();
            Volatile.Write(ref end, ending.Task);
            TestMessage late = fixture.Accept();

            // Every second one has timed out before it ends, the others end at the same time.
            Task released = i % 2 == 0 ? Task.CompletedTask : Task.Run(ending.SetResult);
            fixture.Time.Advance(Watch);
            await released;
            ending.TrySetResult();
            await late.Settled;
            await fixture.DrainAsync();

            (await fixture.RunAsync()).ShouldBe(Settlement.Complete);
            await fixture.DrainAsync();
        }
    }

    [Fact]
    public async Task Abort_MessagesInFlight_AreAbandonedImmediately()
    {
        TaskCompletionSource started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IntakeFixture fixture = new(context => WaitForCancellationAsync(context, started));
        TestMessage message = fixture.Accept(new TestMessage { Deliveries = fixture.Recoverability.MaxDeliveries });
        await started.Task;

        fixture.Intake.Abort();

        (await message.Settled).ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
    }

    [Fact]
    public async Task Abort_MessageAcceptedAfterIt_IsAbandonedImmediately()
    {
        // A source may hold a slot for a message that has only begun to arrive.
        await using IntakeFixture fixture = new();

        fixture.Intake.Abort();

        (await fixture.RunAsync()).ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
    }

    [Fact]
    public async Task Abort_AfterATimeout_TheTimeoutStaysTheReason()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await gate.Task;
            context.CancellationToken.ThrowIfCancellationRequested();
        });
        TestMessage message = fixture.Accept();
        fixture.Time.Advance(fixture.Options.MessageTimeout + Watch);

        fixture.Intake.Abort();
        gate.SetResult();

        (await message.Settled).Description.ShouldBe("The message took longer than Intake:MessageTimeout.");
    }

    [Fact]
    public async Task Drain_NothingInFlight_CompletesImmediately()
    {
        await using IntakeFixture fixture = new();

        fixture.Intake.DrainAsync(CancellationToken.None).IsCompletedSuccessfully.ShouldBeTrue();
    }

    [Fact]
    public async Task Drain_MessagesAndReservedSlots_WaitsForAll()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await gate.Task;
            await IntakeFixture.CompleteAsync(context);
        });
        TestMessage message = fixture.Accept();
        fixture.Reserve(1);
        Task draining = fixture.Intake.DrainAsync(CancellationToken.None);

        gate.SetResult();
        await message.Settled;
        draining.IsCompleted.ShouldBeFalse("a slot is still reserved");
        fixture.Intake.Release(1);

        await draining.WaitAsync(TestMessage.WaitLimit);
    }

    [Fact]
    public async Task Drain_AfterAnEarlierDrain_WaitsAgain()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(1);
        Task first = fixture.Intake.DrainAsync(CancellationToken.None);
        fixture.Intake.Release(1);
        await first.WaitAsync(TestMessage.WaitLimit);
        fixture.Reserve(1);

        Task second = fixture.Intake.DrainAsync(CancellationToken.None);

        second.IsCompleted.ShouldBeFalse();
        fixture.Intake.Release(1);
        await second.WaitAsync(TestMessage.WaitLimit);
    }

    [Fact]
    public async Task Drain_TimeoutEnds_ThrowsAndMessagesContinue()
    {
        using CancellationTokenSource limit = new();
        await using IntakeFixture fixture = new();
        fixture.Reserve(1);
        Task draining = fixture.Intake.DrainAsync(limit.Token);

        await limit.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(draining);
        fixture.CountFreeSlots().ShouldBe(3);
        fixture.Intake.Release(1);
    }

    private static async ValueTask WaitForCancellationAsync(MessageContext context, TaskCompletionSource started)
    {
        started.TrySetResult();
        await Task.Delay(Timeout.InfiniteTimeSpan, context.CancellationToken);
    }
}
