using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>
/// A caller whose request was granted continues after the pool's other work, and then gets the slots that were released meanwhile as well, unless
/// something that became true in that time forbids it: each condition for a grant holds for them, too.
/// </summary>
[Collection(OneThreadCollection.Name)]
public sealed class MessageIntakeTopUpTests
{
    private const int Slots = 8;
    private const int Bytes = 1_000;

    public enum Meanwhile
    {
        Nothing,
        Paused,
        PausedAndResumed,
        BreakerOpen,
        BytesInUse,
        Throttled,
        AnotherWaits,
    }

    [Theory]
    [InlineData(Meanwhile.Nothing, 4)]
    [InlineData(Meanwhile.Paused, 1)]
    [InlineData(Meanwhile.PausedAndResumed, 4)]
    [InlineData(Meanwhile.BreakerOpen, 1)]
    [InlineData(Meanwhile.BytesInUse, 1)]
    [InlineData(Meanwhile.Throttled, 1)]
    [InlineData(Meanwhile.AnotherWaits, 1)]
    public async Task Granted_SlotsAreReleasedBeforeTheCallerContinues_GetsThemUnlessForbidden(Meanwhile meanwhile, int expected)
    {
        TaskCompletionSource stored = new();
        await using IntakeFixture fixture = new(
            async context =>
            {
                await stored.Task;
                context.Settlement = Settlement.Complete;
            },
            Slots,
            Bytes,
            start: Slots);
        fixture.Reserve(Slots);
        Task<int> granted = fixture.Intake.ReserveSlotsAsync(1, 4, CancellationToken.None).AsTask();
        Task<int>? other = null;

        // From here to the next await the pool's only thread runs the test, so the caller does not continue.
        await OneThread.RestAsync();
        fixture.Intake.Release(1);
        fixture.Intake.Release(3);
        switch (meanwhile)
        {
            case Meanwhile.Paused:
                fixture.Intake.SetPaused(true);
                break;
            case Meanwhile.PausedAndResumed:
                fixture.Intake.SetPaused(true);
                fixture.Intake.SetPaused(false);
                break;
            case Meanwhile.BreakerOpen:
                fixture.OpenBreaker();
                break;
            case Meanwhile.BytesInUse:
                fixture.Intake.Accept(new TestMessage { Bytes = new byte[Bytes] });
                break;
            case Meanwhile.Throttled:
                // 5 of 8 slots may be in use, and are: 4 reserved ones and the one of this grant.
                fixture.Breaker.Throttled();
                break;
            case Meanwhile.AnotherWaits:
                other = fixture.Intake.ReserveSlotsAsync(Slots, Slots, CancellationToken.None).AsTask();
                break;
        }

        granted.IsCompleted.ShouldBeFalse("the caller must not continue before the slots are released");
        (await granted.WaitAsync(TestMessage.WaitLimit)).ShouldBe(expected);

        stored.SetResult();
        fixture.Intake.SetPaused(false);
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(expected + (meanwhile == Meanwhile.BytesInUse ? 3 : 4));
        fixture.Intake.Release(other is null ? 0 : await other.WaitAsync(TestMessage.WaitLimit));
    }

    [Fact]
    public async Task Granted_AMessageIsHeld_GetsNoMore()
    {
        await using IntakeFixture fixture = new(_ => throw new TransientException("down"), Slots, start: Slots);
        fixture.Reserve(Slots);
        fixture.Intake.Accept(new TestMessage { HoldTime = TimeSpan.FromHours(1) });
        await PassingTime.UntilAsync(() => fixture.Intake.Held == 1);
        Task<int> granted = fixture.Intake.ReserveSlotsAsync(1, 4, CancellationToken.None).AsTask();

        await OneThread.RestAsync();
        // One slot stays free for a probe.
        fixture.Intake.Release(2);
        fixture.Intake.Release(3);

        granted.IsCompleted.ShouldBeFalse("the caller must not continue before the slots are released");
        (await granted.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        fixture.Intake.Release(3);
        fixture.Intake.ReturnHeld();
    }
}
