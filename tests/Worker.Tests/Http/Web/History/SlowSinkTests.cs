using Quayside.Messaging.Http.Web.History;

namespace Worker.Tests.Http.Web.History;

public sealed class SlowSinkTests
{
    private readonly SlowSink _sink = new();
    private uint _minute;

    [Fact]
    public void ThreeSlowMinutes_BeginIt_AtTheFirst()
    {
        Pass(60, 0.05);

        Pass(2, 0.9);
        _sink.Since.ShouldBeNull();
        Pass(1, 0.9).ShouldBe(1);

        _sink.Since.ShouldBe(61u);
        _sink.UsualP99.ShouldBe(0.05);
    }

    [Fact]
    public void ThreeCalmMinutes_EndIt()
    {
        Pass(60, 0.05);
        Pass(200, 0.9).ShouldBe(1);

        Pass(2, 0.05);
        _sink.Since.ShouldBe(61u);
        Pass(1, 0.05).ShouldBe(1);

        _sink.Since.ShouldBeNull();
    }

    [Fact]
    public void MinutesAroundTheLimit_DoNotFlap()
    {
        Pass(60, 0.05);
        int changes = 0;

        for (int i = 0; i < 100; i++)
        {
            changes += Pass(3, 0.21) + Pass(2, 0.05) + Pass(3, 0.19);
        }

        changes.ShouldBe(1);
    }

    [Fact]
    public void MinutesWithFewMessages_DecideNothing()
    {
        Pass(60, 0.05);

        Pass(30, 3, count: SlowSink.MinCount - 1).ShouldBe(0);
        Pass(30, double.NaN).ShouldBe(0);
        Pass(2, 0.9);
        Pass(30, 0.01, count: 1);
        Pass(1, 0.9).ShouldBe(1);
    }

    [Theory]
    [InlineData(9, 0.05, 0.9)]
    [InlineData(60, 0.001, 0.09)]
    [InlineData(60, 0.5, 1.9)]
    public void WithoutANorm_OrNearIt_NothingIsSlow(int minutes, double usual, double p99)
    {
        Pass(minutes, usual);

        Pass(3, p99).ShouldBe(0);
    }

    private int Pass(int minutes, double p99, double count = 1_000)
    {
        int changes = 0;
        for (int i = 0; i < minutes; i++)
        {
            changes += _sink.Add(++_minute, count, p99) ? 1 : 0;
        }

        return changes;
    }
}
