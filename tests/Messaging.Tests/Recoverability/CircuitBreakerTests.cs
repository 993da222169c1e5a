using Messaging.Tests.Telemetry;
using Quayside.Messaging.Recoverability;

namespace Messaging.Tests.Recoverability;

public sealed class CircuitBreakerTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLogger _logger = new();
    private readonly RecoverabilityOptions _options = new();
    private readonly CircuitBreaker _breaker;

    public CircuitBreakerTests() => _breaker = new CircuitBreaker("test", _options, _time, _logger);

    [Fact]
    public void Failed_InARow_OpensAtTheCount()
    {
        Fail(_options.BreakerFailures - 1);
        _breaker.State.ShouldBe(BreakerState.Closed);
        _breaker.LastFailure.ShouldBeNull("it is closed");

        Fail(1);

        _breaker.State.ShouldBe(BreakerState.Open);
        _breaker.UpdateState().ShouldBe(BreakerState.Open);
        _breaker.LastFailure.ShouldBe("down");
        _breaker.IsRefused.ShouldBeFalse();
    }

    [Fact]
    public void Succeeded_BetweenFailures_RestartsTheCount()
    {
        for (int round = 0; round < 3; round++)
        {
            Fail(_options.BreakerFailures - 1);
            _breaker.Succeeded();
        }

        _breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Theory]
    [InlineData(10, 90, true)]
    [InlineData(9, 91, false)]
    [InlineData(9, 90, false)]
    [InlineData(15, 85, true)]
    public void Failed_ShareInTheWindow_OpensFromTheRatioOnAndNotBelowTheMinimum(int failures, int successes, bool opens)
    {
        Mix(failures, successes);

        _breaker.State.ShouldBe(opens ? BreakerState.Open : BreakerState.Closed);
    }

    [Fact]
    public void Failed_LongAgo_NoLongerCounts()
    {
        Mix(9, 50);
        _time.Advance(CircuitBreaker.Window + TimeSpan.FromSeconds(1));

        Mix(9, 85);

        _breaker.State.ShouldBe(BreakerState.Closed, "18 of 153 would have been too many");
    }

    [Fact]
    public void Failed_SpreadOverTheWindow_AllCount()
    {
        // One failure and nine successes per tenth of a window: only the whole window has a hundred results.
        for (int i = 0; i < 9; i++)
        {
            Mix(1, 9);
            _breaker.State.ShouldBe(BreakerState.Closed);
            _time.Advance(CircuitBreaker.Window / 12);
        }

        Mix(1, 9);

        _breaker.State.ShouldBe(BreakerState.Open);
    }

    [Theory]
    [InlineData(79, 4, "21 of 101 in the window", BreakerState.Open)]
    [InlineData(150, 5, "1 of 151", BreakerState.Closed)]
    public void Window_MovesByASixth_OnlyTheOldestSixthExpires(int stored, int sixths, string failure, object state)
    {
        Mix(20, 0, spacing: 1);
        _time.Advance(CircuitBreaker.Window / 6);
        Mix(0, stored);
        _time.Advance(CircuitBreaker.Window * sixths / 6);

        _breaker.Failed(failure);

        _breaker.State.ShouldBe(state);
    }

    [Fact]
    public void Refused_Once_OpensImmediatelyAndLogsIt()
    {
        _breaker.Refused("AccessDenied");

        _breaker.State.ShouldBe(BreakerState.Open);
        _breaker.IsRefused.ShouldBeTrue();
        _breaker.LastFailure.ShouldBe("AccessDenied");
    }

    [Fact]
    public void UpdateState_OpenTimeHasEnded_GrantsOneProbe()
    {
        Open();
        _time.Advance(_options.BreakerOpen - TimeSpan.FromMilliseconds(1));
        _breaker.UpdateState().ShouldBe(BreakerState.Open);

        _time.Advance(TimeSpan.FromMilliseconds(1));

        _breaker.State.ShouldBe(BreakerState.Open, "no caller asked yet");
        _breaker.UpdateState().ShouldBe(BreakerState.HalfOpen);
        _breaker.UpdateState().ShouldBe(BreakerState.HalfOpen, "asking is not taking");
        _breaker.ProbeGiven().ShouldNotBe(0);
        _breaker.UpdateState().ShouldBe(BreakerState.Open);
        _breaker.State.ShouldBe(BreakerState.HalfOpen);
    }

    [Fact]
    public void ProbeReturned_OfAnEarlierProbe_ChangesNothing()
    {
        long first = HalfOpenAndTakeProbe();
        Fail(1);
        _time.Advance(_options.BreakerOpen);
        _breaker.UpdateState().ShouldBe(BreakerState.HalfOpen);
        _breaker.ProbeGiven().ShouldNotBe(first);

        _breaker.ProbeReturned(first);

        _breaker.UpdateState().ShouldBe(BreakerState.Open);
    }

    [Fact]
    public void CheckIn_Open_IsASecondAfterTheOpenTime()
    {
        _breaker.CheckIn.ShouldBeNull();
        Open();
        _breaker.CheckIn.ShouldBe(_options.BreakerOpen + TimeSpan.FromSeconds(1));

        _time.Advance(TimeSpan.FromHours(1));

        _breaker.CheckIn.ShouldBe(TimeSpan.Zero);
        _breaker.Admits.ShouldBeFalse("time alone shows nothing");
    }

    [Fact]
    public void Answered_Open_LetsMessagesInUntilOneFails()
    {
        int needed = 0;
        _breaker.CheckNeeded += () => Interlocked.Increment(ref needed);
        Open();
        needed.ShouldBe(_options.BreakerFailures, "at each failure while it was closed, the one that opened it included");
        _breaker.CheckSucceeded().ShouldBeTrue();
        (_breaker.Admits, _breaker.NextMessageDecides, _breaker.State, _breaker.CheckIn).ShouldBe((true, true, BreakerState.HalfOpen, null));

        _breaker.Failed("still down");

        (_breaker.Admits, _breaker.NextMessageDecides, _breaker.State).ShouldBe((false, false, BreakerState.Open));
        needed.ShouldBe(_options.BreakerFailures + 1, "when the message failed that was let in");
    }

    [Fact]
    public void Answered_DisprovedAgainAndAgain_IsCheckedLessOften()
    {
        Open();
        List<TimeSpan> waits = [];
        for (int i = 0; i < 12; i++)
        {
            waits.Add(_breaker.CheckIn!.Value - TimeSpan.FromSeconds(1));
            _breaker.CheckSucceeded().ShouldBeTrue();
            _breaker.Failed("still down");
        }

        waits.Take(4).ShouldBe([_options.BreakerOpen, 2 * _options.BreakerOpen, 4 * _options.BreakerOpen, 8 * _options.BreakerOpen]);
        waits.Max().ShouldBe(TimeSpan.FromMinutes(5));

        _breaker.CheckSucceeded();
        _breaker.Succeeded();
        Open();
        _breaker.CheckIn.ShouldBe(_options.BreakerOpen + TimeSpan.FromSeconds(1), "a success ends the backoff");
    }

    [Fact]
    public void Answered_WhileAMessageProbes_TheMessageDecides()
    {
        long probe = HalfOpenAndTakeProbe();
        _breaker.ProbeWorking(probe);

        _breaker.CheckSucceeded().ShouldBeFalse();

        _breaker.Admits.ShouldBeFalse();
    }

    [Fact]
    public void Answered_Closed_HasNoEffect()
    {
        _breaker.CheckSucceeded().ShouldBeFalse();

        _breaker.NextMessageDecides.ShouldBeFalse();
    }

    [Fact]
    public void Answered_ThenAMessageIsStored_Closes()
    {
        Open();
        _breaker.CheckSucceeded();

        _breaker.Succeeded();

        (_breaker.State, _breaker.NextMessageDecides).ShouldBe((BreakerState.Closed, false));
    }

    [Fact]
    public void Succeeded_HalfOpen_ClosesAndClearsTheWindow()
    {
        HalfOpenAndTakeProbe();

        _breaker.Succeeded();

        _breaker.State.ShouldBe(BreakerState.Closed);
        _breaker.LastFailure.ShouldBeNull();
        Mix(9, 91);
        _breaker.State.ShouldBe(BreakerState.Closed, "results before the opening no longer count");
    }

    [Fact]
    public void Succeeded_AfterRefused_NoLongerRefused()
    {
        _breaker.Refused("AccessDenied");
        _time.Advance(_options.BreakerOpen);
        _breaker.UpdateState();

        _breaker.Succeeded();

        _breaker.IsRefused.ShouldBeFalse();
        _breaker.State.ShouldBe(BreakerState.Closed);
    }

    [Fact]
    public void Succeeded_OfAMessageFromBeforeTheOpening_DoesNotClose()
    {
        Mix(10, 90);
        _breaker.State.ShouldBe(BreakerState.Open);

        _breaker.Succeeded();

        _breaker.State.ShouldBe(BreakerState.Open);
        _breaker.UpdateState().ShouldBe(BreakerState.Open);
    }

    [Fact]
    public void Failed_HalfOpenAfterOneRefusal_OpensAgain()
    {
        _breaker.Refused("no permission");
        _time.Advance(_options.BreakerOpen);
        _breaker.UpdateState().ShouldBe(BreakerState.HalfOpen);

        _breaker.Failed("down");

        _breaker.State.ShouldBe(BreakerState.Open);
    }

    [Fact]
    public void Relaxed_OnlyOnClosing_IsRaised()
    {
        int raised = 0;
        _breaker.Closed += () => Interlocked.Increment(ref raised);
        _breaker.Succeeded();
        HalfOpenAndTakeProbe();
        raised.ShouldBe(0);

        _breaker.Succeeded();

        raised.ShouldBe(1);
    }

    [Fact]
    public void Relaxed_Handler_MayAskTheBreaker()
    {
        BreakerState seen = BreakerState.Open;
        bool isAnswered = false;
        _breaker.Closed += () =>
        {
            // A thread of its own: one of the pool may start late.
            Thread asking = new(() => seen = _breaker.UpdateState());
            asking.Start();
            isAnswered = asking.Join(TimeSpan.FromSeconds(45));
        };
        HalfOpenAndTakeProbe();

        _breaker.Succeeded();

        isAnswered.ShouldBeTrue("raised outside the lock");
        seen.ShouldBe(BreakerState.Closed);
    }

    [Fact]
    public void Log_OneOutage_HasTwoLines()
    {
        Fail(_options.BreakerFailures + 30);
        for (int i = 0; i < 5; i++)
        {
            _time.Advance(_options.BreakerOpen);
            _breaker.UpdateState();
            Fail(1);
        }

        _time.Advance(_options.BreakerOpen);
        _breaker.UpdateState();
        _breaker.Succeeded();
        _breaker.Succeeded();

        _logger.Lines.Select(line => line.EventId).ShouldBe([2001, 2002]);
    }

    [Fact]
    public void Log_RefusedDuringAnOutage_IsLoggedToo()
    {
        Fail(_options.BreakerFailures);

        _breaker.Refused("AccessDenied");
        _breaker.Refused("AccessDenied");

        _logger.Of(2001).Count().ShouldBe(2);
    }

    private void Fail(int times)
    {
        for (int i = 0; i < times; i++)
        {
            _breaker.Failed("down");
        }
    }

    private void Open()
    {
        Fail(_options.BreakerFailures);
        _breaker.State.ShouldBe(BreakerState.Open);
    }

    private long HalfOpenAndTakeProbe()
    {
        Open();
        _time.Advance(_options.BreakerOpen);
        _breaker.UpdateState().ShouldBe(BreakerState.HalfOpen);
        return _breaker.ProbeGiven();
    }

    /// <summary>Successes first and failures last, with some successes in between, so that the failures in a row stay below the limit.</summary>
    private void Mix(int failures, int successes, int spacing = 0)
    {
        for (int i = 0; i < successes; i++)
        {
            _breaker.Succeeded();
        }

        for (int i = 0; i < failures; i++)
        {
            _breaker.Failed("down");
            if (spacing > 0 && i % 15 == 14)
            {
                _breaker.Succeeded();
            }
        }
    }
}
