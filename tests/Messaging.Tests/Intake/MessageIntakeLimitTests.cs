using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>The intake and the limit that its throughput sets.</summary>
public sealed class MessageIntakeLimitTests
{
    [Fact]
    public async Task Reserve_MoreThanTheLimit_WaitsUntilAMessageIsSettled()
    {
        TaskCompletionSource stored = new();
        await using IntakeFixture fixture = new(Store(stored.Task), concurrency: 8, start: 2);
        fixture.Accept();
        fixture.Accept();

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 8, CancellationToken.None).AsTask();
        waiting.IsCompleted.ShouldBeFalse("two of eight slots may be in use");
        stored.SetResult();

        fixture.Intake.Release(await waiting.WaitAsync(TestMessage.WaitLimit));
    }

    [Fact]
    public async Task Reserve_SourceWantsMoreThanTheLimit_GetsTheLimit()
    {
        await using IntakeFixture fixture = new(concurrency: 8, start: 2);

        (await fixture.Intake.ReserveSlotsAsync(5, 8, CancellationToken.None)).ShouldBe(2);

        fixture.Intake.Release(2);
    }

    [Fact]
    public async Task Reserve_HeldMessagesTakeTheWholeLimit_OthersAreStillGranted()
    {
        await using IntakeFixture fixture = new(_ => throw new TransientException("down"), concurrency: 8, start: 2);
        fixture.Accept(new TestMessage { HoldTime = TimeSpan.FromHours(1) });
        fixture.Accept(new TestMessage { HoldTime = TimeSpan.FromHours(1) });
        await Task.Run(() => SpinWait.SpinUntil(() => fixture.Intake.Held == 2, TestMessage.WaitLimit), TestContext.Current.CancellationToken);

        fixture.Reserve(2);

        fixture.Intake.Release(2);
        fixture.Intake.ReturnHeld();
    }

    [Fact]
    public async Task Throttled_FewerSlotsAreGranted()
    {
        await using IntakeFixture fixture = new(concurrency: 8, start: 8);

        fixture.Breaker.Throttled();

        fixture.Intake.Limit.ShouldBe(5);
        fixture.CountFreeSlots().ShouldBe(5);
    }

    [Fact]
    public async Task Throughput_FollowsTheLimit_RaisesItAndGrantsWaitingSources()
    {
        await using IntakeFixture fixture = new(concurrency: 8, start: 2);

        // Each pass takes a second, however many messages it has.
        for (int pass = 0; pass < 20 && fixture.Intake.Limit < 8; pass++)
        {
            int slots = await fixture.Intake.ReserveSlotsAsync(1, 8, CancellationToken.None);
            fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
            TestMessage[] messages = [.. Enumerable.Range(0, slots).Select(_ => new TestMessage())];
            foreach (TestMessage message in messages)
            {
                fixture.Intake.Accept(message);
            }

            foreach (TestMessage message in messages)
            {
                (await message.Settled).Kind.ShouldBe(SettlementKind.Complete);
            }

            await fixture.DrainAsync();
            fixture.Time.Advance(TimeSpan.FromSeconds(1));
        }

        fixture.Intake.Limit.ShouldBe(8);
    }

    private static Func<Quayside.Pipeline.Contexts.MessageContext, ValueTask> Store(Task stored) => async context =>
    {
        await stored;
        context.Settlement = Settlement.Complete;
    };
}
