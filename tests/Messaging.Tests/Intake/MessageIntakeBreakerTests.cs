using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>Receiving while the sink is down: no message, then one probe at a time, then all.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class MessageIntakeBreakerTests
{
    private static readonly TimeSpan Open = new RecoverabilityOptions().BreakerOpen;

    [Fact]
    public async Task Open_NoSourceReceives()
    {
        await using IntakeFixture fixture = new();
        fixture.OpenBreaker();

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();
        fixture.Time.Advance(Open - TimeSpan.FromSeconds(1));
        waiting.IsCompleted.ShouldBeFalse();

        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        (await waiting.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1, "half open grants a single slot");
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_OneProbe_TheOthersWaitForItsSuccess()
    {
        await using IntakeFixture fixture = new();
        fixture.OpenBreaker();
        Task<int> first = fixture.Intake.ReserveSlotsAsync(4, 10, CancellationToken.None).AsTask();
        Task<int> second = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();
        fixture.Time.Advance(Open);

        (await first.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        second.IsCompleted.ShouldBeFalse();
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);
        fixture.Breaker.Succeeded();

        (await second.WaitAsync(TestMessage.WaitLimit)).ShouldBe(3);
        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task HalfOpen_ProbeReleasedUnused_TheNextMayProbe()
    {
        await using IntakeFixture fixture = new();
        ReserveProbe(fixture);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);

        fixture.Intake.Release(1);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_ProbeNeverReachesTheSink_TheNextMayProbe()
    {
        await using IntakeFixture fixture = new(_ => throw new DeadLetterException("bad", "never stored"));
        ReserveProbe(fixture);
        TestMessage probe = new();
        fixture.Intake.Accept(probe);
        await probe.Settled;
        await fixture.DrainAsync();

        fixture.Breaker.State.ShouldBe(BreakerState.HalfOpen);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_ProbeFails_NoSourceReceivesForAnotherOpenTime()
    {
        IntakeFixture? fixture = null;
        fixture = new IntakeFixture(_ =>
        {
            fixture!.Breaker.Failed("still down");
            throw new TransientException("still down");
        });
        await using IntakeFixture own = fixture;
        ReserveProbe(fixture);
        TestMessage probe = new();
        fixture.Intake.Accept(probe);
        await probe.Settled;
        await fixture.DrainAsync();

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);
        fixture.Time.Advance(Open);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_AnOlderMessageEnds_GrantsNoSecondProbe()
    {
        TaskCompletionSource oldEnds = new();
        TaskCompletionSource probeEnds = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await (context.Message.Body.Length == 1 ? oldEnds.Task : probeEnds.Task);
            context.Settlement = Settlement.Abandon(TimeSpan.Zero);
        });
        TestMessage old = fixture.Accept(new TestMessage { Bytes = new byte[1] });
        ReserveProbe(fixture);
        TestMessage probe = new();
        fixture.Intake.Accept(probe);

        oldEnds.SetResult();
        await old.Settled;
        await WaitForInFlightAsync(fixture, 1);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused, "the probe is still out");
        fixture.Time.Advance(Open);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused, "a probe that works may take its time");

        probeEnds.SetResult();
        await probe.Settled;
        await fixture.DrainAsync();
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_EarlierSlotsReleasedUnused_GrantNoSecondProbe()
    {
        await using IntakeFixture fixture = new(concurrency: 20);
        fixture.Reserve(10);
        ReserveProbe(fixture);

        fixture.Intake.Release(10);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused, "the probe is still reserved");

        fixture.Intake.Release(1);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_ProbeWaitsOnAnEmptyQueue_AnotherReceiverMayProbe()
    {
        await using IntakeFixture fixture = new();
        ReserveProbe(fixture);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);

        fixture.Time.Advance(Open);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Paused);
        fixture.Intake.Release(2);
    }

    [Fact]
    public async Task HalfOpen_WaiterOfTheProbeIsCancelled_TheNextMayProbe()
    {
        await using IntakeFixture fixture = new();
        fixture.OpenBreaker();
        using CancellationTokenSource cancel = new();
        Task<int> cancelled = fixture.Intake.ReserveSlotsAsync(1, 1, cancel.Token).AsTask();
        Task<int> next = fixture.Intake.ReserveSlotsAsync(1, 1, CancellationToken.None).AsTask();
        await cancel.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(async () => await cancelled);

        fixture.Time.Advance(Open);

        (await next.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_NoSlotFree_TheProbeWaitsForOne()
    {
        await using IntakeFixture fixture = new(concurrency: 1);
        fixture.Reserve(1);
        fixture.OpenBreaker();
        fixture.Time.Advance(Open);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        fixture.Intake.Release(1);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Breaker.Succeeded();
        fixture.Intake.Release(1);
    }

    private static void ReserveProbe(IntakeFixture fixture)
    {
        fixture.OpenBreaker();
        fixture.Time.Advance(Open);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
    }

    private static Task WaitForInFlightAsync(IntakeFixture fixture, int count) => PassingTime.UntilAsync(() => fixture.Intake.InFlight == count);
}
