using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>A route that an operator has paused, alone and together with a breaker that is open.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class MessageIntakePauseTests
{
    private static readonly TimeSpan Open = new RecoverabilityOptions().BreakerOpen;

    // The intake checks every half second.
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(500);

    [Fact]
    public async Task Paused_NoSlotIsGranted_MessagesInFlightAreFinished()
    {
        TaskCompletionSource store = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await store.Task;
            context.Settlement = Settlement.Complete;
        });
        TestMessage message = fixture.Accept();

        fixture.Intake.SetPaused(true);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();
        store.SetResult();
        (await message.Settled).ShouldBe(Settlement.Complete);
        await fixture.DrainAsync();
        fixture.Time.Advance(TimeSpan.FromHours(1));
        waiting.IsCompleted.ShouldBeFalse("A pause has no end of its own.");

        fixture.Intake.SetPaused(false);

        (await waiting.WaitAsync(TestMessage.WaitLimit)).ShouldBe(4);
        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task Paused_SlotsReservedBefore_StillAccept()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(2);
        fixture.Intake.SetPaused(true);

        TestMessage message = new();
        fixture.Intake.Accept(message);

        (await message.Settled).ShouldBe(Settlement.Complete);
        fixture.Intake.Release(1);
        fixture.Intake.SetPaused(false);
    }

    [Fact]
    public async Task Resumed_BreakerOpen_StillWaitsForTheBreaker()
    {
        await using IntakeFixture fixture = new();
        fixture.Intake.SetPaused(true);
        fixture.OpenBreaker();
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();
        fixture.Intake.SetPaused(false);
        waiting.IsCompleted.ShouldBeFalse();

        fixture.Time.Advance(Open);

        (await waiting.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1, "half open grants a single slot");
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task Paused_BreakerHalfOpen_GrantsNoProbe()
    {
        await using IntakeFixture fixture = new();
        fixture.OpenBreaker();
        fixture.Intake.SetPaused(true);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();

        fixture.Time.Advance(Open + Tick);

        waiting.IsCompleted.ShouldBeFalse();
        fixture.Intake.SetPaused(false);
        (await waiting.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task Paused_HeldMessages_AreProbesOneAfterAnother()
    {
        int attempts = 0;
        bool fails = true;
        await using IntakeFixture fixture = new(context =>
        {
            Interlocked.Increment(ref attempts);
            if (fails)
            {
                throw new TransientException("down");
            }

            context.Settlement = Settlement.Complete;
            return default;
        });
        TestMessage message = fixture.Accept(new TestMessage { HoldTime = TimeSpan.FromHours(1) });
        await HeldAsync(fixture);
        fixture.OpenBreaker();
        fixture.Intake.SetPaused(true);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 1, CancellationToken.None).AsTask();

        // After a held message, the next probe would be a new one, which a paused route never gets.
        fixture.Time.Advance(Open + Tick);
        await HeldAsync(fixture);
        attempts.ShouldBe(2);
        fails = false;
        fixture.Breaker.Failed("down");
        fixture.Time.Advance(Open + Tick);

        (await message.Settled).ShouldBe(Settlement.Complete);
        attempts.ShouldBe(3);
        waiting.IsCompleted.ShouldBeFalse();
        fixture.Breaker.Succeeded();
        fixture.Intake.SetPaused(false);
        fixture.Intake.Release(await waiting.WaitAsync(TestMessage.WaitLimit));
    }

    [Fact]
    public async Task WhenPaused_CompletesWithThePause()
    {
        await using IntakeFixture fixture = new();
        Task paused = fixture.Intake.WhenPausedAsync(CancellationToken.None);
        paused.IsCompleted.ShouldBeFalse();

        fixture.Intake.SetPaused(true);

        await paused.WaitAsync(TestMessage.WaitLimit);
        fixture.Intake.WhenPausedAsync(CancellationToken.None).IsCompleted.ShouldBeTrue();
        fixture.Intake.SetPaused(false);
        fixture.Intake.WhenPausedAsync(CancellationToken.None).IsCompleted.ShouldBeFalse();
    }

    private static Task HeldAsync(IntakeFixture fixture) => PassingTime.UntilAsync(() => fixture.Intake.Held == 1);
}
