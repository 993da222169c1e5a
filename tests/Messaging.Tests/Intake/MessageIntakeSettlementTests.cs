using System.Collections.Concurrent;
using System.Threading.Tasks.Sources;
using Messaging.Tests.Telemetry;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>The end of a chain determines the settlement, in every form, for exceptions before and after a hop; no end loses a slot.</summary>
public sealed class MessageIntakeSettlementTests
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromMinutes(3);

    public static TheoryData<ChainEnd, PipelineForm, bool> Ends
    {
        get
        {
            TheoryData<ChainEnd, PipelineForm, bool> data = [];
            foreach (ChainEnd end in Enum.GetValues<ChainEnd>())
            {
                foreach (PipelineForm form in PipelineForm.All)
                {
                    data.Add(end, form, false);
                    data.Add(end, form, true);
                }
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Settle_AnyEndOnTheFirstDelivery_LeadsToItsSettlement(ChainEnd end, PipelineForm form, bool hop)
    {
        await using IntakeFixture fixture = new(context => hop ? HopAsync(context, end) : End(context, end), form: form);

        Settlement settlement = await fixture.RunAsync(new TestMessage { Deliveries = 1 });

        settlement.Kind.ShouldBe(end switch
        {
            ChainEnd.Complete => SettlementKind.Complete,
            ChainEnd.DeadLetter or ChainEnd.Poison => SettlementKind.DeadLetter,
            _ => SettlementKind.Abandon,
        });
        if (end == ChainEnd.TransientWithRetryAfter)
        {
            settlement.Delay.ShouldBe(RetryAfter);
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Settle_AnyEndOnTheLastDelivery_OnlyUnknownReasonsAreDeadLettered(ChainEnd end, PipelineForm form, bool hop)
    {
        await using IntakeFixture fixture = new(context => hop ? HopAsync(context, end) : End(context, end), form: form);

        Settlement settlement = await fixture.RunAsync(new TestMessage { Deliveries = fixture.Recoverability.MaxDeliveries });

        settlement.Kind.ShouldBe(end switch
        {
            ChainEnd.Complete => SettlementKind.Complete,
            ChainEnd.Abandon or ChainEnd.Transient or ChainEnd.TransientWithRetryAfter or ChainEnd.Refused => SettlementKind.Abandon,
            _ => SettlementKind.DeadLetter,
        });
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Accept_BodyThatCannotBeRead_IsSettledAsItsExceptionSaysAndFreesItsSlot(bool isPoison)
    {
        await using IntakeFixture fixture = new(
            context =>
            {
                context.Settlement = context.Message.Body.IsEmpty ? Settlement.Abandon(TimeSpan.Zero) : Settlement.Complete;
                return default;
            },
            concurrency: 1);
        Exception failure = isPoison ? new DeadLetterException("unsupported-body", "an AMQP map") : new NotSupportedException("an AMQP map");

        for (int i = 0; i < 3; i++)
        {
            Settlement settlement = await fixture.RunAsync(new TestMessage { BodyFailure = failure });
            await fixture.DrainAsync();

            settlement.Kind.ShouldBe(isPoison ? SettlementKind.DeadLetter : SettlementKind.Abandon);
            settlement.Reason.ShouldBe(isPoison ? "unsupported-body" : null);
            settlement.Description.ShouldBe("an AMQP map");
        }

        fixture.Metrics.Totals.Received.ShouldBe(3);
    }

    [Fact]
    public async Task Settle_ManyEnds_AreCountedAndTheBalanceIsZero()
    {
        await using IntakeFixture fixture = new(context => End(context, (ChainEnd)context.Message.Body.Length));
        ChainEnd[] ends = Enum.GetValues<ChainEnd>();

        foreach (ChainEnd end in ends)
        {
            await fixture.RunAsync(new TestMessage { Bytes = new byte[(int)end] });
        }

        fixture.Metrics.Totals.ShouldBe(new(Received: ends.Length, Stored: 1, Duplicates: 0, Returned: ends.Length - 3, DeadLetters: 2));
    }

    [Fact]
    public async Task Settle_ContextOfTheNextMessage_IsClean()
    {
        ConcurrentQueue<Settlement> found = [];
        await using IntakeFixture fixture = new(
            context =>
            {
                found.Enqueue(context.Settlement);
                return IntakeFixture.CompleteAsync(context);
            },
            concurrency: 1);

        await fixture.RunAsync();
        await fixture.DrainAsync();
        await fixture.RunAsync();

        found.ShouldBe([default, default]);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Settle_SourceThrows_TheSlotIsFreeAgainAndItIsLogged(bool hop, bool cancelled)
    {
        await using IntakeFixture fixture = new(concurrency: 1);
        Exception thrown = cancelled ? new OperationCanceledException("x") : new InvalidOperationException("x");

        for (int i = 0; i < 3; i++)
        {
            await fixture.RunAsync(new TestMessage { OnSettle = () => hop ? ThrowLaterAsync(thrown) : throw thrown });
            await fixture.DrainAsync();
        }

        Telemetry.LoggedLine line = fixture.Logger.Of(5004).ShouldHaveSingleItem("The first of ten seconds is logged.");
        line.Exception.ShouldBe(thrown);
        line.Text.ShouldContain("the source source threw");
        fixture.Intake.InFlight.ShouldBe(0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Settle_SourceThrowsEachTime_IsAProblemUntilItSettlesAMessage(bool hop)
    {
        await using IntakeFixture fixture = new(concurrency: 1);
        for (int i = 0; i < 10; i++)
        {
            fixture.Intake.Reports.Problem.ShouldBeNull($"after {i} messages");
            await fixture.RunAsync(new TestMessage { OnSettle = () => hop ? ThrowLaterAsync(new IOException("no reply")) : throw new IOException("no reply") });
            await fixture.DrainAsync();
        }

        RouteProblem problem = fixture.Intake.Reports.Problem.ShouldNotBeNull();
        (problem.Event, problem.Setting).ShouldBe((5011, "Sources:source"));
        problem.Text.ShouldBe(
            "The source source could not settle the last 10 messages, so it may deliver them again; the last failure: IOException: no reply");
        fixture.Logger.Of(5011).ShouldHaveSingleItem().Text.ShouldBe($"Route test: {problem.Text}");

        await fixture.RunAsync();
        await fixture.DrainAsync();

        fixture.Intake.Reports.Problem.ShouldBeNull();
        fixture.Logger.Of(5012).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Accept_MessagesWithoutAnId_AreAbandonedAloneAndNamed()
    {
        await using IntakeFixture fixture = new();

        Settlement settlement = await fixture.RunAsync(new TestMessage { Id = string.Empty });
        _ = await fixture.RunAsync(new TestMessage { Id = string.Empty });

        (await fixture.RunAsync()).ShouldBe(Settlement.Complete);
        (settlement.Kind, settlement.Delay).ShouldBe((SettlementKind.Abandon, TimeSpan.FromSeconds(30)));
        string warning = fixture.Intake.Reports.Warnings.ShouldHaveSingleItem().Text;
        warning.ShouldStartWith("The source source delivers messages without an id, which are abandoned.");
        fixture.Logger.Of(5013).ShouldHaveSingleItem().Text.ShouldBe($"Route test: {warning}");

        fixture.Time.Advance(TimeSpan.FromMinutes(1));
        fixture.Intake.Reports.Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task Settle_SourceThrowsNowAndThen_IsNoProblem()
    {
        await using IntakeFixture fixture = new(concurrency: 1);
        for (int i = 0; i < 100; i++)
        {
            await fixture.RunAsync(new TestMessage { OnSettle = () => i % 5 == 0 ? default : throw new IOException("no reply") });
            await fixture.DrainAsync();
            fixture.Intake.Reports.Problem.ShouldBeNull();
        }
    }

    [Fact]
    public async Task Settle_ExceptionWithoutAMessage_IsAbandonedByItsName()
    {
        await using IntakeFixture fixture = new(_ => throw new BrokenException());

        Settlement settlement = await fixture.RunAsync();

        settlement.Kind.ShouldBe(SettlementKind.Abandon);
        settlement.Description.ShouldBe(nameof(BrokenException));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Settle_AwaiterOfTheSourceThrows_TheSlotIsFreeAgainAndItIsLogged(bool whenAwaited)
    {
        await using IntakeFixture fixture = new();

        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(new BrokenOperation(whenAwaited), token: 0) });

        await fixture.DrainAsync();
        fixture.CountFreeSlots().ShouldBe(4);
        fixture.Logger.Of(5004).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task Settle_SourceSettlesSlowly_TheSlotIsHeldUntilThen()
    {
        TaskCompletionSource settling = new();
        await using IntakeFixture fixture = new(concurrency: 1);

        await fixture.RunAsync(new TestMessage { OnSettle = () => new ValueTask(settling.Task) });

        fixture.Intake.InFlight.ShouldBe(1);
        settling.SetResult();
        await fixture.DrainAsync();
    }

    [Fact]
    public async Task Settle_LoggerThrows_TheMessageIsSettledAndTheSlotIsFree()
    {
        await using IntakeFixture fixture = new(_ => throw new InvalidOperationException("x"), concurrency: 1);
        fixture.Logger.Throws = true;

        (await fixture.RunAsync(new TestMessage { OnSettle = () => throw new InvalidOperationException("y") })).Kind.ShouldBe(SettlementKind.Abandon);
        await fixture.DrainAsync();
        (await fixture.RunAsync()).Kind.ShouldBe(SettlementKind.Abandon);
    }

    [Fact]
    public async Task Settle_Complete_LogsNothing()
    {
        await using IntakeFixture fixture = new();

        await fixture.RunAsync();

        fixture.Logger.Lines.ShouldBeEmpty();
    }

    [Fact]
    public async Task Settle_DeadLetter_LogsIdAndReasonWithUntrustedTextEscaped()
    {
        await using IntakeFixture fixture = new(_ => throw new DeadLetterException("malformed", "bad\nline " + new string('x', 1_000)));

        await fixture.RunAsync(new TestMessage { Id = "a\u001b[2Jb", Deliveries = 2 });

        LoggedLine line = fixture.Logger.Of(5001).ShouldHaveSingleItem();
        line.Level.ShouldBe(LogLevel.Warning);
        line.Text.ShouldStartWith("Route test: message a\\u001b[2Jb is dead-lettered as malformed on delivery 2: bad\\u000aline xxx");
        line.Text.Length.ShouldBeLessThan(400);
        line.Text.Any(char.IsControl).ShouldBeFalse();
    }

    [Fact]
    public async Task Settle_HostileTexts_AreEscapedInEveryLine()
    {
        int runs = 0;
        await using IntakeFixture fixture = new(context =>
        {
            context.Settlement = Interlocked.Increment(ref runs) == 1
                ? Settlement.Abandon(TimeSpan.Zero, HostileText.Value)
                : Settlement.DeadLetter(HostileText.Value, HostileText.Value);
            return default;
        });

        await fixture.RunAsync(new TestMessage { Id = HostileText.Value });
        await fixture.RunAsync(new TestMessage { Id = HostileText.Value, Deliveries = 2 });
        await fixture.RunAsync(new TestMessage { Id = HostileText.Value, Deliveries = 3 });
        fixture.Intake.Reports.ReportAtStop();

        HostileText.ShouldBeSafe(fixture.Logger.Of(5008).ShouldHaveSingleItem().Text);
        LoggedLine abandoned = fixture.Logger.Of(5002).ShouldHaveSingleItem();
        LoggedLine deadLettered = fixture.Logger.Of(5001).ShouldHaveSingleItem();
        HostileText.ShouldBeSafe(abandoned.Text);
        HostileText.ShouldBeSafe(deadLettered.Text);
        abandoned.Text.Split("forged").Length.ShouldBe(3, "id and description");
        deadLettered.Text.Split("forged").Length.ShouldBe(4, "id, reason and description");
    }

    [Fact]
    public async Task Settle_ManyOfOneReason_LogsTheFirstAndTheNumberOfTheOthersOncePerMinute()
    {
        await using IntakeFixture fixture = new(_ => throw new TransientException("down\r\n"));
        for (int i = 0; i < 100; i++)
        {
            await fixture.RunAsync(new TestMessage { Id = $"m{i}" });
        }

        fixture.Logger.Of(5002).ShouldHaveSingleItem().Text.ShouldEndWith("down\\u000d\\u000a");
        fixture.Time.Advance(TimeSpan.FromSeconds(59));
        fixture.Logger.Of(5008).ShouldBeEmpty();

        fixture.Time.Advance(TimeSpan.FromSeconds(1));

        fixture.Logger.Of(5008).ShouldHaveSingleItem().Text.ShouldBe(
            "Route test: 99 more message(s) of source abandoned as Quayside.Pipeline.Settlements.TransientException since the last such line; the last: "
                + "message m99: down\\u000d\\u000a");
        fixture.Logger.Of(5002).Count().ShouldBe(1);
    }

    [Fact]
    public async Task Settle_EachReason_LogsItsFirstInFull()
    {
        int count = 0;
        await using IntakeFixture fixture = new(_ => throw new DeadLetterException($"reason-{Interlocked.Increment(ref count) % 50}", "bad"));
        for (int i = 0; i < 5_000; i++)
        {
            await fixture.RunAsync();
        }

        fixture.Logger.Of(5001).Count().ShouldBe(50);
        fixture.Intake.Reports.ReportAtStop();
        fixture.Logger.Of(5008).Count().ShouldBe(50, "the stop reports what no summary has");
        fixture.Logger.Of(5008).ShouldAllBe(line => line.Text.Contains(" 99 more message(s) of source dead-lettered as reason-"));
    }

    [Fact]
    public async Task Settle_ReasonAfterAQuietMinute_IsLoggedInFull()
    {
        await using IntakeFixture fixture = new(_ => throw new DeadLetterException("bad", "bad"));
        await fixture.RunAsync();
        fixture.Time.Advance(TimeSpan.FromMinutes(1));

        await fixture.RunAsync();

        fixture.Logger.Of(5001).Count().ShouldBe(2);
        fixture.Logger.Of(5008).ShouldBeEmpty();
    }

    [Theory]
    [InlineData(false, "Route test: message id abandoned on delivery 2; redelivery in 79 ms: down")]
    [InlineData(true, "Route test: message id abandoned on delivery 2; the caller was told to send it again: down")]
    public async Task Log_Abandoned_SaysWhoRedeliversIt(bool hasCaller, string text)
    {
        await using IntakeFixture fixture = new(static context =>
        {
            context.Settlement = Settlement.Abandon(TimeSpan.FromMilliseconds(78.6152), "down");
            return default;
        });

        await fixture.RunAsync(new TestMessage { Deliveries = 2, HasCaller = hasCaller });

        fixture.Logger.Of(5002).Single().Text.ShouldBe(text);
    }

    private static async ValueTask HopAsync(MessageContext context, ChainEnd end)
    {
        await Task.Yield();
        await End(context, end);
    }

    private static async ValueTask ThrowLaterAsync(Exception exception)
    {
        await Task.Yield();
        throw exception;
    }

    private static ValueTask End(MessageContext context, ChainEnd end)
    {
        switch (end)
        {
            case ChainEnd.Complete:
                context.Settlement = Settlement.Complete;
                return default;
            case ChainEnd.DeadLetter:
                context.Settlement = Settlement.DeadLetter("decided", "by a part");
                return default;
            case ChainEnd.Abandon:
                context.Settlement = Settlement.Abandon(TimeSpan.FromSeconds(1));
                return default;
            case ChainEnd.Undecided:
                return default;
            case ChainEnd.Poison:
                // A part's decision does not count once an exception is thrown.
                context.Settlement = Settlement.Complete;
                throw new DeadLetterException("poison", "x");
            case ChainEnd.Transient:
                context.Settlement = Settlement.Complete;
                throw new TransientException("x");
            case ChainEnd.TransientWithRetryAfter:
                throw new TransientException("x", RetryAfter);
            case ChainEnd.Refused:
                throw new ServiceRefusedException("x");
            case ChainEnd.OwnCancellation:
                throw new OperationCanceledException("x");
            default:
                context.Settlement = Settlement.Complete;
                throw new InvalidOperationException("x");
        }
    }

    /// <summary>A settlement whose operation was reused too early, a usual mistake of pooled ones.</summary>
    private sealed class BrokenOperation(bool whenAwaited) : IValueTaskSource
    {
        public ValueTaskSourceStatus GetStatus(short token) => whenAwaited ? ValueTaskSourceStatus.Pending : throw new InvalidOperationException("stale");

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            throw new InvalidOperationException("stale");

        public void GetResult(short token)
        {
        }
    }
}
