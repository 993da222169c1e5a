using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class LogThrottleTests
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private readonly ManualTimeProvider _time = new();
    private readonly LogThrottle _throttle;

    public LogThrottleTests() => _throttle = new LogThrottle(_time, Interval);

    [Fact]
    public void ShouldLog_FirstLine_IsLogged()
    {
        _throttle.ShouldLog(out SuppressedLines suppressed).ShouldBeTrue();
        suppressed.Count.ShouldBe(0);
    }

    [Fact]
    public void ShouldLog_WithinTheInterval_IsSuppressedAndCounted()
    {
        _throttle.ShouldLog(out _);
        for (int i = 0; i < 5; i++)
        {
            _throttle.ShouldLog(out _).ShouldBeFalse();
        }

        _time.Advance(Interval - TimeSpan.FromTicks(1));
        _throttle.ShouldLog(out _).ShouldBeFalse();
        _time.Advance(TimeSpan.FromTicks(1));

        _throttle.ShouldLog(out SuppressedLines suppressed).ShouldBeTrue();
        suppressed.Count.ShouldBe(6);
        _time.Advance(Interval);
        _throttle.ShouldLog(out suppressed).ShouldBeTrue();
        suppressed.Count.ShouldBe(0, "reported lines are not reported again");
    }

    [Fact]
    public void ShouldLog_FromManyThreads_OneLineAndTheRestCounted()
    {
        int logged = 0;

        Parallel.For(0, 1_000, _ =>
        {
            if (_throttle.ShouldLog(out SuppressedLines _))
            {
                Interlocked.Increment(ref logged);
            }
        });

        logged.ShouldBe(1);
        _time.Advance(Interval);
        _throttle.ShouldLog(out SuppressedLines suppressed).ShouldBeTrue();
        suppressed.Count.ShouldBe(999);
    }

    [Theory]
    [InlineData(0, "")]
    [InlineData(3, " (3 similar lines suppressed)")]
    public void ToString_SuppressedLines_AreShownOnlyIfAny(long count, string text) => new SuppressedLines(count).ToString().ShouldBe(text);
}
