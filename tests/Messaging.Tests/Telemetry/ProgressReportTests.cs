using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Telemetry;

public sealed class ProgressReportTests
{
    private const int Progress = 1107;
    private static readonly TimeSpan Every = TimeSpan.FromSeconds(10);

    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLogger _log = new();
    private readonly RouteMetrics _metrics = new("orders");
    private int _inFlight;

    [Fact]
    public void Report_MessagesSinceTheLast_AreCountedOnce()
    {
        using ProgressReport report = Create(Every);
        Settle(Settlement.Complete, 25);
        Settle(Settlement.DeadLetter("malformed-json", "No JSON."), 2);
        Settle(Settlement.Abandon(TimeSpan.Zero), 3);
        _inFlight = 4;
        _time.Advance(Every);
        Settle(Settlement.Complete, 1);
        _inFlight = 0;
        _time.Advance(Every);

        Lines().ShouldBe([
            "Route orders: in the last 10 s 30 received, 25 stored (2.5 per second), 2 dead-lettered, 3 abandoned; 4 in flight",
            "Route orders: in the last 10 s 1 received, 1 stored (0.1 per second), 0 dead-lettered, 0 abandoned; 0 in flight",
        ]);
    }

    [Fact]
    public void Report_NothingHappened_LogsNothing()
    {
        using ProgressReport report = Create(Every);
        Settle(Settlement.Complete, 1);
        _time.Advance(Every * 100);

        Lines().ShouldHaveSingleItem();
    }

    [Fact]
    public void Report_NothingEndsButMessagesAreInFlight_SaysSo()
    {
        using ProgressReport report = Create(Every);
        _inFlight = 64;
        _time.Advance(Every);

        Lines().ShouldBe(["Route orders: in the last 10 s 0 received, 0 stored (0 per second), 0 dead-lettered, 0 abandoned; 64 in flight"]);
    }

    [Fact]
    public void Report_BeforeTheInterval_LogsNothing()
    {
        using ProgressReport report = Create(Every);
        Settle(Settlement.Complete, 1);
        _time.Advance(Every - TimeSpan.FromMilliseconds(1));

        Lines().ShouldBeEmpty();
    }

    [Fact]
    public void Report_IntervalOfZero_IsOff()
    {
        using ProgressReport report = Create(TimeSpan.Zero);
        Settle(Settlement.Complete, 1);
        _time.Advance(TimeSpan.FromDays(1));

        _time.ArmedTimers.ShouldBe(0);
        Lines().ShouldBeEmpty();
    }

    [Fact]
    public void Report_Disposed_LogsNoMore()
    {
        using (Create(Every))
        {
            Settle(Settlement.Complete, 1);
        }

        _time.Advance(Every);
        Lines().ShouldBeEmpty();
    }

    [Fact]
    public void Report_LogFails_Continues()
    {
        using ProgressReport report = Create(Every);
        _log.Throws = true;
        Settle(Settlement.Complete, 1);
        _time.Advance(Every);
        _log.Throws = false;
        Settle(Settlement.Complete, 1);
        _time.Advance(Every);

        Lines().ShouldHaveSingleItem();
    }

    private ProgressReport Create(TimeSpan every) => new([new ReportedRoute("orders", () => _metrics.Totals, () => _inFlight)], every, _time, _log);

    private void Settle(Settlement settlement, int times)
    {
        for (int i = 0; i < times; i++)
        {
            _metrics.MessagesReceived(1);
            _metrics.MessageSettled(settlement, TimeSpan.Zero);
        }
    }

    private IEnumerable<string> Lines() => _log.Of(Progress).Select(line => line.Text);
}
