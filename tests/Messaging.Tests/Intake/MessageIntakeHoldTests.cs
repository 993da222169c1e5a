using System.Text;
using Quayside.Messaging.Recoverability;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Intake;

/// <summary>Messages that keep their slots while the sink fails.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class MessageIntakeHoldTests : IAsyncDisposable
{
    private static readonly TimeSpan Hold = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan Open = new RecoverabilityOptions().BreakerOpen;

    // The intake checks every half second.
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(500);

    private readonly IntakeFixture _fixture;
    private readonly List<string> _attempts = [];
    private Func<string, Exception?> _fault = _ => new TransientException("down");
    private Func<MessageContext, Task>? _hang;
    private bool _throws = true;

    public MessageIntakeHoldTests() => _fixture = new IntakeFixture(StoreAsync);

    public async ValueTask DisposeAsync()
    {
        _fixture.Intake.ReturnHeld();
        await _fixture.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Outage_HeldMessage_KeepsSlotAndBytesAndNoTimeoutHitsIt(bool throws)
    {
        _throws = throws;
        TestMessage message = await HoldAsync("a");
        _fixture.OpenBreaker();
        _fixture.InFlightShouldBe(1, bytes: 3);

        for (int i = 0; i < 10; i++)
        {
            _fixture.Breaker.Failed("another route's message");
            _fixture.Time.Advance(Open - Tick);
            _fixture.Intake.Reports.Timeouts.IsStuck.ShouldBeFalse();
        }

        _fixture.Time.Advance(_fixture.Options.MessageTimeout);
        await HeldAgainAsync(2);
        _fixture.Intake.OldestAge.ShouldBeGreaterThan(_fixture.Options.MessageTimeout);
        message.IsSettled.ShouldBeFalse();
        _fault = _ => null;
        _fixture.Time.Advance(Open + Tick);

        (await message.Settled).ShouldBe(Settlement.Complete);
        await _fixture.DrainAsync();
        _fixture.InFlightShouldBe(0, bytes: 0);
        _fixture.CountFreeSlots().ShouldBe(4);
        _fixture.Metrics.Totals.Returned.ShouldBe(0);
    }

    [Fact]
    public async Task Fault_SourceDoesNotHold_IsAbandoned()
    {
        (await _fixture.RunAsync(new TestMessage())).Kind.ShouldBe(SettlementKind.Abandon);

        _fixture.Intake.Held.ShouldBe(0);
    }

    [Fact]
    public async Task Fault_SourceThrowsWhenAsked_IsAbandoned()
    {
        TestMessage message = new() { HoldTime = Hold, ReturnLateFailure = new InvalidOperationException("broken source") };

        (await _fixture.RunAsync(message)).Kind.ShouldBe(SettlementKind.Abandon);

        _fixture.Intake.Held.ShouldBe(0);
    }

    [Fact]
    public async Task Fault_SourceHoldsWithoutLimit_IsHeld()
    {
        TestMessage message = await HoldAsync("a", TimeSpan.MaxValue);
        _fixture.OpenBreaker();

        _fixture.Time.Advance(TimeSpan.FromMinutes(1));

        message.IsSettled.ShouldBeFalse();
    }

    public static TheoryData<Exception, bool, SettlementKind> OwnFaults => new()
    {
        { new TransientException("x", mayHold: false), true, SettlementKind.Abandon },
        { new TransientException("x", mayHold: false), false, SettlementKind.Abandon },
        { new DeadLetterException("bad", "x"), true, SettlementKind.DeadLetter },
        { new DeadLetterException("bad", "x"), false, SettlementKind.DeadLetter },
        { new InvalidOperationException("x"), true, SettlementKind.Abandon },
    };

    [Theory]
    [MemberData(nameof(OwnFaults))]
    public async Task Fault_OfTheMessage_IsSettledImmediately(Exception fault, bool throws, SettlementKind settled)
    {
        _throws = throws;
        _fault = _ => fault;

        (await _fixture.RunAsync(new TestMessage { HoldTime = Hold })).Kind.ShouldBe(settled);

        _fixture.Intake.Held.ShouldBe(0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Fault_RetryAfterLongerThanTheHold_FreesTheSlotWhereTheSourceCanHideTheMessage(bool returnsLate)
    {
        _fault = _ => new TransientException("down", Hold);

        if (returnsLate)
        {
            (await _fixture.RunAsync(new TestMessage { HoldTime = Hold, ReturnsLate = true })).Delay.ShouldBe(Hold);
        }
        else
        {
            await HoldAsync("a");
        }

        _fixture.Intake.Held.ShouldBe(returnsLate ? 0 : 1);
    }

    [Fact]
    public async Task Backoff_LongerThanTheHold_HoldsTheMessageToItsEnd()
    {
        // Every backoff is longer than this hold; it is the worker's own wait and costs the message no delivery.
        _fault = _ => new TransientException("down");

        TestMessage message = await HoldAsync("a", TimeSpan.FromMicroseconds(10), returnsLate: true);

        message.IsSettled.ShouldBeFalse();
        _fixture.Time.Advance(Tick);
        (await message.Settled).Kind.ShouldBe(SettlementKind.Abandon);
    }

    [Fact]
    public async Task HalfOpen_HeldAndNewMessages_ProbeOneByOneTheHeldOnesFirst()
    {
        await HoldAsync("a");
        await HoldAsync("b");
        _fixture.OpenBreaker();
        _fault = _ =>
        {
            _fixture.Breaker.Failed("down");
            return new TransientException("down");
        };
        Task<int> waiting = _fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();

        _fixture.Time.Advance(Open);
        await HeldAgainAsync(3);
        Attempts.ShouldBe(["a", "b", "a"]);
        waiting.IsCompleted.ShouldBeFalse();

        _fixture.Time.Advance(Open);
        (await waiting.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        Attempts.Count.ShouldBe(3, "one probe at a time");
        _fixture.Intake.Release(1);
        Task<int> next = _fixture.Intake.ReserveSlotsAsync(1, 10, CancellationToken.None).AsTask();

        _fixture.Time.Advance(Tick);
        await HeldAgainAsync(4);
        Attempts[^1].ShouldBe("b");
        next.IsCompleted.ShouldBeFalse();

        _fixture.Time.Advance(Open);
        (await next.WaitAsync(TestMessage.WaitLimit)).ShouldBe(1);
        _fixture.Intake.Release(1);
    }

    [Fact]
    public async Task HalfOpen_ProbeStores_TheOthersAreRetriedOverTheTimeTheBreakerWasOpen()
    {
        TestMessage[] messages = [await HoldAsync("a"), await HoldAsync("b"), await HoldAsync("c")];
        _fixture.OpenBreaker();
        _fault = _ => null;

        _fixture.Time.Advance(Open);
        await messages[0].Settled;
        _fixture.Breaker.State.ShouldBe(BreakerState.Closed);
        _fixture.Time.Advance(Open + Tick);

        await Task.WhenAll(messages.Select(message => message.Settled));
        Attempts.Count.ShouldBe(6);
    }

    [Fact]
    public async Task Retry_Hangs_TimesOutAsAnyAttempt()
    {
        TestMessage message = await HoldAsync("a");
        TaskCompletionSource hanging = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _hang = context =>
        {
            hanging.SetResult();
            return Task.Delay(Timeout.Infinite, context.CancellationToken);
        };
        _fixture.Time.Advance(Tick);
        await hanging.Task.WaitAsync(TestMessage.WaitLimit, TestContext.Current.CancellationToken);

        _fixture.Time.Advance(_fixture.Options.MessageTimeout + Tick);

        Settlement settlement = await message.Settled;
        settlement.Kind.ShouldBe(SettlementKind.Abandon);
        settlement.Description.ShouldBe("The message took longer than Intake:MessageTimeout.");
    }

    [Fact]
    public async Task ReturnHeld_AfterTheStop_AbandonsImmediately()
    {
        TestMessage held = await HoldAsync("a");
        _fixture.OpenBreaker();
        _fixture.Intake.Stop();
        held.IsSettled.ShouldBeFalse("A receive that is still under way would bring it again.");
        _fixture.Intake.ReturnHeld();

        (await held.Settled).ShouldBe(Settlement.Abandon(TimeSpan.Zero, "The worker is stopping."));
        await _fixture.DrainAsync();
        _fixture.Metrics.Totals.Returned.ShouldBe(1);
    }

    [Fact]
    public async Task Abort_HeldMessages_AreAbandoned()
    {
        TestMessage held = await HoldAsync("a");
        _fixture.OpenBreaker();

        _fixture.Intake.Abort();

        (await held.Settled).Kind.ShouldBe(SettlementKind.Abandon);
    }

    [Fact]
    public async Task Fault_AfterHeldMessagesWereReturned_IsNotHeld()
    {
        _fixture.Reserve(1);
        _fixture.Intake.Stop();
        _fixture.Intake.ReturnHeld();
        TestMessage message = new() { HoldTime = Hold };

        _fixture.Intake.Accept(message);

        (await message.Settled).Kind.ShouldBe(SettlementKind.Abandon);
    }

    [Fact]
    public async Task Hold_TimeEnds_AbandonsWithTheSinksFault()
    {
        TestMessage message = await HoldAsync("a", TimeSpan.FromSeconds(3));
        _fixture.OpenBreaker();

        _fixture.Time.Advance(TimeSpan.FromSeconds(3) + Tick);

        Settlement settlement = await message.Settled;
        settlement.Kind.ShouldBe(SettlementKind.Abandon);
        settlement.Description.ShouldBe("down");
        await _fixture.DrainAsync();
        _fixture.Metrics.Totals.Returned.ShouldBe(1);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task SinkWorksForOthers_FaultFollowsTheMessage_AbandonsWithADelayWhereTheSourceCan(bool returnsLate)
    {
        _fault = name => name == "bad" ? new TransientException("down") : null;
        TestMessage bad = await HoldAsync("bad", Hold, returnsLate);
        for (int failures = 2; failures <= 6; failures++)
        {
            await _fixture.RunAsync(new TestMessage { Id = "good" });
            _fixture.Time.Advance(_fixture.Recoverability.BackoffCap);
            await WaitAsync(() => Attempts.Count(name => name == "bad") >= failures && (bad.IsSettled || _fixture.Intake.Held == 1));
        }

        bad.IsSettled.ShouldBe(returnsLate);
        if (returnsLate)
        {
            (await bad.Settled).ShouldBe(Settlement.Abandon(Hold, "down", typeof(TransientException).FullName));
        }
    }

    private IReadOnlyList<string> Attempts
    {
        get
        {
            lock (_attempts)
            {
                return [.. _attempts];
            }
        }
    }

    /// <summary>Accepts a message and waits until it is held.</summary>
    private async Task<TestMessage> HoldAsync(string id, TimeSpan? limit = null, bool returnsLate = false)
    {
        int held = _fixture.Intake.Held;
        TestMessage message = _fixture.Accept(new TestMessage { Id = id, HoldTime = limit ?? Hold, ReturnsLate = returnsLate });
        await WaitAsync(() => _fixture.Intake.Held == held + 1);
        return message;
    }

    /// <summary>Waits until the attempt with that number has ended and its message is held again.</summary>
    private async Task HeldAgainAsync(int attempts)
    {
        await WaitAsync(() => Attempts.Count >= attempts);
        await WaitAsync(() => _fixture.Intake.Held == _fixture.Intake.InFlight);
    }

    private static Task WaitAsync(Func<bool> condition) => PassingTime.UntilAsync(condition);

    private async ValueTask StoreAsync(MessageContext context)
    {
        string id = Encoding.UTF8.GetString(context.Message.SourceId.Span);
        lock (_attempts)
        {
            _attempts.Add(id);
        }

        if (_hang is { } hang)
        {
            await hang(context);
        }

        if (_fault(id) is { } fault)
        {
            if (_throws)
            {
                throw fault;
            }

            new ExceptionRules([], [], []).TryRead(fault, isCancelled: false, out Settlement settlement).ShouldBeTrue();
            context.Settlement = settlement;
            return;
        }

        _fixture.Breaker.Succeeded();
        context.Settlement = Settlement.Complete;
    }
}
