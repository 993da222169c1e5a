using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Worker.Tests.Intake;

/// <summary>Slots that a source leaks, and settlements that do not end, are found, named and reported.</summary>
public sealed class MessageIntakeWatchingTests
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task Leak_OneSlotWhileMessagesFlow_IsNamedAndCounted()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(1);
        for (int minute = 0; minute < 2; minute++)
        {
            await fixture.RunManyAsync(20);

            fixture.Time.Advance(Minute);
        }

        fixture.Intake.LeakedSlots.ShouldBe(1);
        fixture.Intake.Warnings.ShouldHaveSingleItem().ShouldStartWith("The source source has reserved 1 of 4 slot(s) that it neither uses nor releases");
        fixture.Intake.Problem.ShouldBeNull("messages still flow");
        fixture.Logger.Of(5010).ShouldHaveSingleItem().Text.ShouldContain("The source source has reserved 1 of 4 slot(s)");

        fixture.Intake.Release(1);
        await fixture.RunManyAsync(20);

        fixture.Time.Advance(Minute);
        fixture.Intake.LeakedSlots.ShouldBe(0);
        fixture.Intake.Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task Slots_OfASourceThatKeepsSomeWhileMessagesFlow_AreNotLeaked()
    {
        await using IntakeFixture fixture = new(keepsReservedSlots: true);
        fixture.Reserve(1);
        for (int minute = 0; minute < 2; minute++)
        {
            await fixture.RunManyAsync(20);

            fixture.Time.Advance(Minute);
        }

        fixture.Intake.LeakedSlots.ShouldBe(0);
        fixture.Intake.Warnings.ShouldBeEmpty();
        fixture.Intake.Release(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Leak_EverySlot_IsAProblem(bool refusesCallers)
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(4);
        using CancellationTokenSource stop = new();
        Task? waiting = refusesCallers ? null : fixture.Intake.ReserveSlotsAsync(1, 1, stop.Token).AsTask();
        if (refusesCallers)
        {
            fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        }

        fixture.Time.Advance(Minute);
        fixture.Time.Advance(Minute);

        fixture.Intake.Problem.ShouldNotBeNull().ShouldContain("The source source has reserved 4 of 4 slot(s)");
        fixture.Intake.LeakedSlots.ShouldBe(4);
        fixture.Logger.Of(5010).ShouldHaveSingleItem();

        await stop.CancelAsync();
        if (waiting is not null)
        {
            await Should.ThrowAsync<OperationCanceledException>(waiting.WaitAsync(TestMessage.WaitLimit, TestContext.Current.CancellationToken));
        }

        fixture.Intake.Release(4);
        fixture.Time.Advance(Minute);
        fixture.Intake.Problem.ShouldBeNull();
        fixture.Intake.LeakedSlots.ShouldBe(0);
        fixture.Intake.Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task Slots_OfASourceThatWaitsSinceItsStart_AreNotLeakedYet()
    {
        await using IntakeFixture fixture = new();

        // As pollers of an empty queue do, before the first look.
        fixture.Reserve(4);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);
        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        fixture.Time.Advance(TimeSpan.FromSeconds(20));

        fixture.Intake.Problem.ShouldBeNull();
        fixture.Logger.Of(5010).ShouldBeEmpty();
        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task Leak_ReceivingEndsWithSlots_IsFoundAtTheRestart()
    {
        await using IntakeFixture fixture = new();
        fixture.Intake.BeginReceiving();
        fixture.Reserve(2);

        fixture.Intake.BeginReceiving();

        fixture.Intake.LeakedSlots.ShouldBe(2);
        fixture.Logger.Of(5010).ShouldHaveSingleItem().Text.ShouldContain("its receiving ended without releasing them");
        fixture.Intake.Release(2);
    }

    [Fact]
    public async Task Leak_SourceStopsWithSlots_IsNamedAtTheStop()
    {
        await using IntakeFixture fixture = new();
        fixture.Reserve(3);

        fixture.Intake.ReportAtStop();

        fixture.Logger.Of(5010).ShouldHaveSingleItem().Text.ShouldContain("has reserved 3 of 4 slot(s)");
        fixture.Intake.Release(3);
    }

    [Fact]
    public async Task Slots_OfASourceThatWaitsForMessages_AreNotLeaked()
    {
        await using IntakeFixture fixture = new();
        await fixture.RunManyAsync(20);

        // A receive call that waits for an hour.
        fixture.Reserve(4);
        fixture.Time.Advance(TimeSpan.FromHours(1));

        fixture.Intake.LeakedSlots.ShouldBe(0);
        fixture.Intake.Problem.ShouldBeNull();
        fixture.Logger.Of(5010).ShouldBeEmpty();
        fixture.Intake.Release(4);
    }

    [Fact]
    public async Task Slots_OfASourceThatReportsAProblem_AreNotLeaked()
    {
        await using IntakeFixture fixture = new();
        fixture.Intake.SourceReportsProblem = static () => true;
        fixture.Reserve(4);
        fixture.Intake.TryReserve().ShouldBe(IntakeAnswer.Full);

        fixture.Time.Advance(TimeSpan.FromHours(1));

        fixture.Intake.Problem.ShouldBeNull();
        fixture.Intake.Release(4);
    }

    [Theory]
    [InlineData(SettlementKind.Complete)]
    [InlineData(SettlementKind.DeadLetter)]
    [InlineData(SettlementKind.Abandon)]
    public async Task Settlement_DoesNotEnd_IsLoggedAndThenAProblem(SettlementKind kind)
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(context =>
        {
            context.Settlement = kind switch
            {
                SettlementKind.Complete => Settlement.Complete,
                SettlementKind.DeadLetter => Settlement.DeadLetter("bad", "bad"),
                _ => Settlement.Abandon(TimeSpan.Zero),
            };
            return default;
        });
        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(gate.Task) });
        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        fixture.Time.Advance(TimeSpan.FromSeconds(9));
        fixture.Logger.Of(5009).ShouldBeEmpty();

        fixture.Time.Advance(TimeSpan.FromSeconds(5));
        fixture.Logger.Of(5009).ShouldHaveSingleItem().Text.ShouldStartWith("Route test: 1 settlement(s) of messages of source have been running for more than 10 s");
        fixture.Intake.SlowSettlements.ShouldBe(1);
        fixture.Intake.Problem.ShouldBeNull();
        fixture.Intake.Warnings.ShouldHaveSingleItem().ShouldContain("of the source source have not ended, the oldest after more than 10 s");

        fixture.Time.Advance(TimeSpan.FromSeconds(20));
        fixture.Intake.Problem.ShouldNotBeNull().ShouldStartWith("1 settlement(s) of messages of the source source have not ended, the oldest after more than 30 s");
        fixture.Intake.Warnings.ShouldBeEmpty();
        fixture.Logger.Of(5009).ShouldHaveSingleItem("throttled");

        gate.SetResult();
        await fixture.DrainAsync();
        fixture.Time.Advance(TimeSpan.FromSeconds(1));
        fixture.Intake.Problem.ShouldBeNull();
        fixture.Intake.SlowSettlements.ShouldBe(0);
    }

    [Fact]
    public async Task Settlement_WaitsForItsDelay_IsNotSlow()
    {
        TaskCompletionSource gate = new();
        await using IntakeFixture fixture = new(context =>
        {
            context.Settlement = Settlement.Abandon(TimeSpan.FromMinutes(1));
            return default;
        });
        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(gate.Task) });
        fixture.Time.Advance(TimeSpan.FromSeconds(1));

        fixture.Time.Advance(TimeSpan.FromMinutes(1));

        fixture.Intake.SlowSettlements.ShouldBe(0);
        gate.SetResult();
    }
}
