using Quayside.Messaging.Sources;

namespace Messaging.Tests.Intake;

public sealed class MessageIntakeReservationTests
{
    [Theory]
    [InlineData(1, 10, 4)]
    [InlineData(4, 10, 4)]
    [InlineData(1, 3, 3)]
    [InlineData(2, 2, 2)]
    [InlineData(8, 10, 4)]
    public async Task Reserve_SlotsAreFree_GrantsImmediatelyUpToMax(int min, int max, int expected)
    {
        await using IntakeFixture fixture = new();

        ValueTask<int> granted = fixture.Intake.ReserveSlotsAsync(min, max, CancellationToken.None);

        granted.IsCompletedSuccessfully.ShouldBeTrue();
        (await granted).ShouldBe(expected);
        fixture.CountFreeSlots().ShouldBe(4 - expected);
        fixture.Intake.InFlight.ShouldBe(0, "no message is worked on");
        fixture.Intake.Release(expected);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(-1, 1)]
    [InlineData(2, 1)]
    public async Task Reserve_ImpossibleNumbers_Throws(int min, int max)
    {
        await using IntakeFixture fixture = new();

        await Should.ThrowAsync<ArgumentOutOfRangeException>(async () => await fixture.Intake.ReserveSlotsAsync(min, max, CancellationToken.None));
    }

    [Fact]
    public async Task Reserve_FewerThanMinFree_WaitsForMin()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(3);

        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(3, 10, CancellationToken.None).AsTask();
        fixture.Intake.Release(1);
        waiting.IsCompleted.ShouldBeFalse("two are free");
        fixture.Intake.Release(1);

        (await waiting).ShouldBe(3);
        fixture.Intake.Release(1 + 3);
    }

    [Fact]
    public async Task Reserve_SeveralWaiters_AreServedInOrder()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(4);
        Task<int>[] waiting = [.. Enumerable.Range(0, 3).Select(_ => fixture.Intake.ReserveSlotsAsync(1, 1, CancellationToken.None).AsTask())];

        for (int i = 0; i < waiting.Length; i++)
        {
            fixture.Intake.Release(1);
            (await waiting[i]).ShouldBe(1);
            waiting.Count(task => task.IsCompleted).ShouldBe(i + 1);
        }

        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task Reserve_CallerWaitsForMore_NewcomersDoNotOvertake()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(2);
        Task<int> large = fixture.Intake.ReserveSlotsAsync(3, 3, CancellationToken.None).AsTask();
        Task<int> small = fixture.Intake.ReserveSlotsAsync(1, 1, CancellationToken.None).AsTask();

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full, "two are free, but three are waited for");
        small.IsCompleted.ShouldBeFalse();
        fixture.Intake.Release(2);

        (await large).ShouldBe(3);
        (await small).ShouldBe(1);
        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task Reserve_FirstWaiterCancelled_TheNextIsServed()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(2);
        using CancellationTokenSource cancelLarge = new();
        Task<int> large = fixture.Intake.ReserveSlotsAsync(3, 3, cancelLarge.Token).AsTask();
        Task<int> small = fixture.Intake.ReserveSlotsAsync(1, 1, CancellationToken.None).AsTask();

        await cancelLarge.CancelAsync();

        (await Should.ThrowAsync<OperationCanceledException>(async () => await large)).CancellationToken.ShouldBe(cancelLarge.Token);
        (await small.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        fixture.CountFreeSlots().ShouldBe(1);
        fixture.Intake.Release(3);
    }

    [Fact]
    public async Task Reserve_ResultIsReadEarly_ThrowsAndEachWaiterHasItsOwnSlots()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(4);
        ValueTask<SlotLease> early = fixture.Intake.ReserveAsync(1, 1, CancellationToken.None);

        Should.Throw<InvalidOperationException>(() => early.GetAwaiter().GetResult());
        Task<SlotLease> first = early.AsTask();
        Task<int> second = fixture.Intake.ReserveSlotsAsync(2, 2, CancellationToken.None).AsTask();

        fixture.Intake.Release(1);
        (await first.WaitAsync(TestMessage.WaitLimit)).Count.ShouldBe(1);
        second.IsCompleted.ShouldBeFalse();
        fixture.Intake.Release(2);
        (await second.WaitAsync(TestMessage.WaitLimit)).ShouldBe(2);
        fixture.Intake.Release(1 + 1 + 2);
    }

    [Fact]
    public async Task Reserve_TokenCancelledBefore_ThrowsAndTakesNothing()
    {
        await using IntakeFixture fixture = new();

        await Should.ThrowAsync<OperationCanceledException>(async () => await fixture.Intake.ReserveSlotsAsync(1, 1, new CancellationToken(canceled: true)));

        fixture.CountFreeSlots().ShouldBe(4);
    }

    [Fact]
    public async Task TryReserve_NoSlotFree_ReturnsFull()
    {
        await using IntakeFixture fixture = new(concurrency: 2);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        fixture.Intake.Release(1);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Reserved);
        fixture.Intake.Release(2);
    }

    [Fact]
    public async Task Stop_TryReserveSaysStopping_ReserveStillGrants()
    {
        await using IntakeFixture fixture = new();

        fixture.Intake.Stop();

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Stopping);
        fixture.Reserve(1);
        fixture.Intake.Release(1);
    }

    [Fact]
    public async Task Release_MoreThanReserved_ThrowsAndChangesNothing()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(2);

        Should.Throw<InvalidOperationException>(() => fixture.Intake.Release(3));
        Should.Throw<ArgumentOutOfRangeException>(() => fixture.Intake.Release(-1));
        fixture.Intake.Release(0);

        fixture.CountFreeSlots().ShouldBe(2);
        fixture.Intake.Release(2);
    }

    [Fact]
    public async Task Accept_WithoutAReservedSlot_ThrowsAndChangesNothing()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(async context =>
        {
            await gate.Task;
            await IntakeFixture.CompleteAsync(context);
        });
        TestMessage working = fixture.Accept();

        Should.Throw<InvalidOperationException>(() => fixture.Intake.Accept(new TestMessage()));
        Should.Throw<InvalidOperationException>(() => fixture.Intake.Release(1));

        fixture.Intake.InFlight.ShouldBe(1);
        fixture.CountFreeSlots().ShouldBe(3);
        gate.SetResult();
        await working.Settled;
    }

    [Fact]
    public async Task BytesInFlight_AtTheCap_ReceivingPausesUntilBytesAreFree()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(
            async context =>
            {
                await gate.Task;
                await IntakeFixture.CompleteAsync(context);
            },
            concurrency: 8,
            bytesInFlight: 1_000);
        TestMessage below = fixture.Accept(new TestMessage { Bytes = new byte[999] });
        TestMessage overshooting = fixture.Accept(new TestMessage { Bytes = new byte[5_000] });
        fixture.Intake.BytesInFlight.ShouldBe(5_999);

        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        Task<int> waiting = fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();
        waiting.IsCompleted.ShouldBeFalse();
        gate.SetResult();
        await Task.WhenAll(below.Settled, overshooting.Settled);

        int granted = await waiting.WaitAsync(TestMessage.WaitLimit);
        fixture.Intake.Release(granted);
    }

    [Fact]
    public async Task Accept_ManyMessages_ConcurrencyIsReachedAndNeverExceeded()
    {
        const int Concurrency = 7;
        const int Messages = 500;
        int now = 0;
        int most = 0;
        TaskCompletionSource allArrived = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IntakeFixture fixture = new(
            async context =>
            {
                int current = Interlocked.Increment(ref now);
                InterlockedMax(ref most, current);
                if (current == Concurrency)
                {
                    allArrived.TrySetResult();
                }

                await allArrived.Task;
                await Task.Yield();
                Interlocked.Decrement(ref now);
                await IntakeFixture.CompleteAsync(context);
            },
            Concurrency);

        TestMessage[] messages = [.. Enumerable.Range(0, Messages).Select(_ => new TestMessage())];
        int next = 0;
        while (next < Messages)
        {
            using SlotLease slots = await fixture.Intake.ReserveAsync(1, 3, CancellationToken.None).AsTask().WaitAsync(TestMessage.WaitLimit);
            while (slots.Count > 0 && next < Messages)
            {
                slots.Accept(messages[next++]);
            }
        }

        await Task.WhenAll(messages.Select(message => message.Settled));
        most.ShouldBe(Concurrency);
        fixture.Metrics.Totals.ShouldBe(new(Received: Messages, Stored: Messages, Duplicates: 0, Returned: 0, DeadLetters: 0));
    }

    private static void InterlockedMax(ref int target, int value)
    {
        int seen;
        while ((seen = Volatile.Read(ref target)) < value && Interlocked.CompareExchange(ref target, value, seen) != seen)
        {
        }
    }
}
