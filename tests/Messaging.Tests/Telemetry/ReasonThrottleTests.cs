using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class ReasonThrottleTests
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void ShouldLog_MoreReasonsThanItKeeps_CountsEveryLine()
    {
        ReasonThrottle throttle = new(_time);
        int logged = 0;
        for (int i = 0; i < 300; i++)
        {
            logged += throttle.ShouldLog($"reason {i}", "last", out _) ? 1 : 0;
        }

        logged.ShouldBe(101, "100 reasons, and the first of the others");
        throttle.TakeSummaries(all: true).ShouldHaveSingleItem().ShouldBe(("other reasons", 199, "last"));

        _time.Advance(ReasonThrottle.Interval);
        throttle.ShouldLog("new", "last", out _).ShouldBeTrue("the first ones have been quiet");
    }

    [Fact]
    public void ShouldLog_NoSummaryTaken_TheNextLineHasTheNumber()
    {
        ReasonThrottle throttle = new(_time);
        throttle.ShouldLog("r", "1", out _).ShouldBeTrue();
        throttle.ShouldLog("r", "2", out _).ShouldBeFalse();
        _time.Advance(ReasonThrottle.Interval);

        throttle.ShouldLog("r", "3", out SuppressedLines suppressed).ShouldBeTrue();

        suppressed.Count.ShouldBe(1);
        throttle.TakeSummaries(all: true).ShouldBeEmpty();
    }

    [Fact]
    public void TakeSummaries_ThenAnotherLine_IsCountedForTheNextSummary()
    {
        ReasonThrottle throttle = new(_time);
        throttle.ShouldLog("r", "1", out _).ShouldBeTrue();
        throttle.ShouldLog("r", "2", out _).ShouldBeFalse();
        _time.Advance(ReasonThrottle.Interval);
        throttle.TakeSummaries().ShouldHaveSingleItem().ShouldBe(("r", 1, "2"));

        throttle.ShouldLog("r", "3", out _).ShouldBeFalse("The summary is the line of this minute.");

        throttle.TakeSummaries().ShouldBeEmpty();
        _time.Advance(ReasonThrottle.Interval);
        throttle.TakeSummaries().ShouldHaveSingleItem().ShouldBe(("r", 1, "3"));
    }
}
