using Messaging.Tests.Intake;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;

namespace Messaging.Tests.Sources;

public sealed class SlotLeaseTests
{
    private readonly TestIntake _intake = new(concurrency: 8);

    [Fact]
    public async Task Dispose_SlotsWithoutAMessage_AreGivenBack()
    {
        using (SlotLease slots = await _intake.ReserveAsync(1, 5, CancellationToken.None))
        {
            slots.Count.ShouldBe(5);
            slots.Accept(new TestMessage());
            slots.Accept([new TestMessage(), new TestMessage()]);
            slots.Count.ShouldBe(2);
        }

        (_intake.Accepted, _intake.Released, _intake.Balance).ShouldBe((3, 2, 0));
    }

    [Fact]
    public async Task Accept_MoreThanReserved_ThrowsAndAcceptsNone()
    {
        using SlotLease slots = await _intake.ReserveAsync(1, 2, CancellationToken.None);
        ReceivedMessage[] three = [new TestMessage(), new TestMessage(), new TestMessage()];

        Should.Throw<InvalidOperationException>(() => slots.Accept(three)).Message.ShouldStartWith("3 slot(s) are needed, but the lease has 2 left.");

        (_intake.Accepted, slots.Count).ShouldBe((0, 2));
        slots.Accept(three.AsSpan(..2));
        Should.Throw<InvalidOperationException>(() => slots.Accept(three[2]));
        slots.Accept(ReadOnlySpan<ReceivedMessage>.Empty);
        _intake.Accepted.ShouldBe(2);
    }

    [Fact]
    public async Task Dispose_Twice_GivesBackOnce()
    {
        SlotLease slots = await _intake.ReserveAsync(1, 3, CancellationToken.None);
        SlotLease copy = slots;

        slots.Dispose();
        slots.Dispose();
        copy.Dispose();

        _intake.Released.ShouldBe(3);
    }

    [Fact]
    public async Task Accept_ThroughACopy_UsesTheSameSlots()
    {
        SlotLease slots = await _intake.ReserveAsync(1, 2, CancellationToken.None);
        SlotLease copy = slots;
        copy.ShouldBe(slots);

        copy.Accept([new TestMessage(), new TestMessage()]);

        slots.Count.ShouldBe(0);
        Should.Throw<InvalidOperationException>(() => slots.Accept(new TestMessage()));
        slots.Dispose();
        (_intake.Accepted, _intake.Released).ShouldBe((2, 0));
    }

    [Fact]
    public async Task Accept_AfterDispose_ThrowsAlsoWhenTheObjectHasANewLease()
    {
        SlotLease old = await _intake.ReserveAsync(1, 2, CancellationToken.None);
        old.Dispose();
        using SlotLease next = await _intake.ReserveAsync(1, 2, CancellationToken.None);

        Should.Throw<InvalidOperationException>(() => old.Accept(new TestMessage())).Message.ShouldContain("disposed");
        Should.Throw<InvalidOperationException>(() => default(SlotLease).Accept(new TestMessage()));
        Should.Throw<InvalidOperationException>(() => old.Split(1));

        (old.Count, next.Count, _intake.Accepted).ShouldBe((0, 2, 0));
        old.ShouldNotBe(next);
    }

    [Fact]
    public async Task Split_Slots_AreALeaseOfTheirOwn()
    {
        SlotLease slots = await _intake.ReserveAsync(1, 3, CancellationToken.None);
        SlotLease later = slots.Split(1);
        Should.Throw<InvalidOperationException>(() => slots.Split(3));
        Should.Throw<ArgumentOutOfRangeException>(() => slots.Split(0));

        slots.Dispose();
        (_intake.Released, later.Count).ShouldBe((2, 1));
        later.Accept(new TestMessage());
        later.Dispose();

        (_intake.Accepted, _intake.Balance).ShouldBe((1, 0));
    }

    [Fact]
    public void TryReserve_Refused_HasNoSlot()
    {
        _intake.Answer = IntakeAnswer.Full;

        _intake.TryReserve(out SlotLease slot).ShouldBe(IntakeAnswer.Full);

        slot.Count.ShouldBe(0);
        slot.Dispose();
        _intake.Released.ShouldBe(0);
    }

    [Fact]
    public void Constructor_NoSlots_Throws()
    {
        Should.Throw<ArgumentOutOfRangeException>(() => new SlotLease(_intake, 0));
        Should.Throw<ArgumentNullException>(() => new SlotLease(null!, 1));
    }
}
