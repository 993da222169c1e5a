using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>The table that maps the end of a chain to the message's settlement.</summary>
public sealed class RecoverabilityPolicyTests
{
    private const int Max = 5;

    private static readonly RecoverabilityOptions Options = new() { MaxDeliveries = Max };
    private readonly RecoverabilityPolicy _policy = new(Options);

    public static TheoryData<Exception?, int, int, SettlementKind> Table
    {
        get
        {
            TheoryData<Exception?, int, int, SettlementKind> data = [];
            Add(() => null, SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter, SettlementKind.Abandon);
            Add(() => new InvalidOperationException("x"), SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter, SettlementKind.Abandon);
            Add(() => new OperationCanceledException("x"), SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter,
                SettlementKind.Abandon);
            Add(() => new TaskCanceledException("x"), SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter, SettlementKind.Abandon);
            Add(() => new TimeoutException("x"), SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter, SettlementKind.Abandon);
            Add(() => new AggregateException(new TransientException("x")), SettlementKind.Abandon, SettlementKind.DeadLetter, SettlementKind.DeadLetter,
                SettlementKind.Abandon);
            Add(() => new TransientException("x"), SettlementKind.Abandon, SettlementKind.Abandon, SettlementKind.Abandon, SettlementKind.Abandon);
            Add(() => new ServiceRefusedException("x"), SettlementKind.Abandon, SettlementKind.Abandon, SettlementKind.Abandon, SettlementKind.Abandon);
            Add(() => new DeadLetterException("code", "x"), SettlementKind.DeadLetter, SettlementKind.DeadLetter, SettlementKind.DeadLetter,
                SettlementKind.DeadLetter);
            return data;

            void Add(Func<Exception?> exception, SettlementKind early, SettlementKind atMax, SettlementKind atMaxTimedOut, SettlementKind atMaxStopping)
            {
                data.Add(exception(), 1, (int)Cancellation.None, early);
                data.Add(exception(), Max - 1, (int)Cancellation.None, early);
                data.Add(exception(), Max, (int)Cancellation.None, atMax);
                data.Add(exception(), Max + 1, (int)Cancellation.None, atMax);
                data.Add(exception(), int.MaxValue, (int)Cancellation.None, atMax);
                data.Add(exception(), Max - 1, (int)Cancellation.Timeout, early);
                data.Add(exception(), Max, (int)Cancellation.Timeout, atMaxTimedOut);
                data.Add(exception(), 1, (int)Cancellation.Shutdown, early);
                data.Add(exception(), Max, (int)Cancellation.Shutdown, atMaxStopping);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Table))]
    public void Decide_UndecidedWithAnyException_AsTheTableSays(Exception? exception, int deliveries, int cancellation, SettlementKind expected) =>
        _policy.Decide(default, exception, deliveries, (Cancellation)cancellation).Kind.ShouldBe(expected);

    [Theory]
    [MemberData(nameof(Table))]
    public void Decide_DecidedButThrown_TheExceptionCounts(Exception? exception, int deliveries, int cancellation, SettlementKind expected)
    {
        Settlement settlement = _policy.Decide(Settlement.Complete, exception, deliveries, (Cancellation)cancellation);

        settlement.Kind.ShouldBe(exception is null ? SettlementKind.Complete : expected);
    }

    [Theory]
    [InlineData((int)Cancellation.None)]
    [InlineData((int)Cancellation.Timeout)]
    [InlineData((int)Cancellation.Shutdown)]
    public void Decide_DecidedAndReturned_StaysAsDecided(int cancellation)
    {
        foreach (Settlement decided in new[] { Settlement.Complete, Settlement.DeadLetter("a", "b"), Settlement.Abandon(TimeSpan.FromSeconds(7)) })
        {
            _policy.Decide(decided, exception: null, Max + 1, (Cancellation)cancellation).ShouldBe(decided);
        }
    }

    public static TheoryData<Exception> KnownExceptions =>
        [new DeadLetterException("bad", "x"), new TransientException("x", TimeSpan.FromMinutes(1)), new TransientException("x", mayHold: false),
            new ServiceRefusedException("x")];

    [Theory]
    [MemberData(nameof(KnownExceptions))]
    public void Decide_SettlementEquivalentToAnException_IsDecidedAsTheException(Exception exception)
    {
        _policy.TryRead(exception, Cancellation.None, out Settlement settlement).ShouldBeTrue();

        foreach (Cancellation cancellation in Enum.GetValues<Cancellation>())
        {
            Settlement decided = _policy.Decide(settlement, exception: null, Max, cancellation);

            (decided with { Delay = default }).ShouldBe(_policy.Decide(default, exception, Max, cancellation) with { Delay = default });
            (decided.Fault, decided.MayHold, decided.RetryInProcess).ShouldBe((SettlementFault.None, false, false));
        }
    }

    [Fact]
    public void Decide_Poison_KeepsReasonMessageAndType() =>
        _policy.Decide(default, new DeadLetterException("bad-json", "at byte 3"), 1, Cancellation.None)
            .ShouldBe(Settlement.DeadLetter("bad-json", "at byte 3", "Quayside.Pipeline.Settlements.DeadLetterException"));

    [Fact]
    public void Decide_TransientWithRetryAfter_WaitsAtLeastThat()
    {
        Settlement settlement = _policy.Decide(default, new TransientException("slow down", TimeSpan.FromMinutes(2)), 1, Cancellation.None);

        settlement.ShouldBe(Settlement.Abandon(TimeSpan.FromMinutes(2), "slow down", "Quayside.Pipeline.Settlements.TransientException"));
    }

    [Fact]
    public void Decide_TransientRepeatedly_WaitsLongerButNeverAboveTheCap()
    {
        TimeSpan[] early = [.. Enumerable.Range(0, 300).Select(_ => Delay(1))];
        TimeSpan[] late = [.. Enumerable.Range(0, 300).Select(_ => Delay(1_000))];

        early.Max().ShouldBeInRange(Options.BackoffBase / 2, Options.BackoffBase);
        late.Max().ShouldBeGreaterThan(Options.BackoffCap / 2);
        late.Max().ShouldBeLessThanOrEqualTo(Options.BackoffCap);

        TimeSpan Delay(int deliveries) => _policy.Decide(default, new TransientException("x"), deliveries, Cancellation.None).Delay;
    }

    [Fact]
    public void Decide_Refused_IsRedeliveredNotBeforeTheFirstProbe() =>
        _policy.Decide(default, new ServiceRefusedException("AccessDenied"), 1, Cancellation.None).Delay.ShouldBe(Options.BreakerOpen);

    [Fact]
    public void Decide_UnknownAtTheLastDelivery_SaysHowOftenAndWhy()
    {
        Settlement settlement = _policy.Decide(default, new InvalidOperationException("boom"), Max, Cancellation.None);

        settlement.ShouldBe(Settlement.DeadLetter("unhandled-exception", "Failed on delivery 5: boom", "System.InvalidOperationException"));
    }

    [Fact]
    public void Decide_Undecided_SaysThatNoPartDecided() =>
        _policy.Decide(default, exception: null, 1, Cancellation.None).Description.ShouldBe(RecoverabilityPolicy.NotSettled);

    [Fact]
    public void Decide_Stopping_AbandonsWithoutDelay()
    {
        _policy
            .Decide(default, new OperationCanceledException(), Max, Cancellation.Shutdown)
            .ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
        _policy.Decide(default, new IOException("connection cut"), Max, Cancellation.Shutdown)
            .ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping.", "System.IO.IOException"));
        _policy.Decide(default, exception: null, Max, Cancellation.Shutdown).ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
        _policy
            .Decide(Settlement.Transient("x", TimeSpan.FromHours(1)), exception: null, Max, Cancellation.Shutdown)
            .ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
        _policy
            .Decide(Settlement.Refused("x"), exception: null, Max, Cancellation.Shutdown)
            .ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
    }

    public static TheoryData<TimeSpan> OddDelays => [TimeSpan.MaxValue, TimeSpan.MinValue, TimeSpan.FromDays(60), TimeSpan.FromHours(-1)];

    [Theory]
    [MemberData(nameof(OddDelays))]
    public void Decide_TransientWithAnOddDelay_StaysWithinTheLimitsOfSources(TimeSpan delay)
    {
        Settlement fault = Settlement.Transient("x", delay);

        _policy.Decide(fault, exception: null, 1, Cancellation.None).Delay.ShouldBeInRange(TimeSpan.Zero, TimeSpan.FromHours(12));
        _policy.RetryDelay(fault, 1).ShouldBeInRange(TimeSpan.Zero, TimeSpan.FromHours(12));
    }

    [Fact]
    public void Decide_FaultMadeAnotherKind_IsThatKind()
    {
        Settlement deadLetter = Settlement.Transient("x") with { Kind = SettlementKind.DeadLetter, Reason = "bad" };

        (deadLetter.Fault, deadLetter.MayHold, deadLetter.RetryInProcess).ShouldBe((SettlementFault.None, false, false));
        _policy.Decide(deadLetter, exception: null, 1, Cancellation.None).Kind.ShouldBe(SettlementKind.DeadLetter);
    }
}
