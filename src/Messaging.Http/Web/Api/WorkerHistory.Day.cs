using Quayside.Messaging.Http.Web.History;
using Quayside.Messaging.Http.Web.Metrics;

namespace Quayside.Messaging.Http.Web.Api;

/// <content>The last 24 hours.</content>
internal sealed partial class WorkerHistory
{
    // The series of the process, and of each route.
    private const string Process = "process";

    /// <summary>The last hours up to the last full minute.</summary>
    /// <param name="steps">How many steps.</param>
    /// <param name="minutes">Minutes per step.</param>
    public HistoryState ReadDay(int steps, int minutes)
    {
        string[] routes;
        uint end;
        lock (_gate)
        {
            routes = [.. _samples[^1].Routes.Keys];
            end = MinuteOf(_minuteStart);
        }

        float[]?[] process = _day.Read(Process, end, steps, minutes);
        return new HistoryState(
            minutes * 60,
            DateTime.UnixEpoch.AddMinutes(end),
            new HistoryStorage(_day.Folder, _day.Problem),
            new RuntimeHistory(Counts(process, 0), Counts(process, 1), Counts(process, 2)),
            Counts(process, 3),
            routes.ToDictionary(static route => route, route => RouteOf(_day.Read(SeriesOf(route), end, steps, minutes))));
    }

    /// <summary>Since when the sink of a route is slow; null while it is not.</summary>
    public SlowSinkState? SlowSinkOf(string route) => _day.SlowSinkOf(SeriesOf(route)) is { } slow ? new SlowSinkState(slow.Since, ApiJson.Rounded(slow.UsualP99)) : null;

    private static string SeriesOf(string route) => DayHistory.RoutePrefix + route;

    private static uint MinuteOf(WorkerSample sample) => (uint)(sample.Time.ToUnixTimeSeconds() / 60);

    private static RouteHistory RouteOf(float[]?[] all) => new(
        Counts(all, 0), Counts(all, 1), Counts(all, 2), Counts(all, 3), Counts(all, 4), Counts(all, 5), Counts(all, 6),
        Highest(all, 7), Highest(all, 8), Highest(all, 9), Highest(all, 10), Highest(all, 11), Highest(all, 12), Highest(all, 13));

    private static double[] Counts(float[]?[] all, int index) => [.. all.Select(values => values is null ? 0 : ApiJson.Rounded(values[index]))];

    private static double?[] Highest(float[]?[] all, int index) =>
        [.. all.Select(values => values is null || float.IsNaN(values[index]) ? (double?)null : ApiJson.Rounded(values[index]))];

    private static float Percentile(long[]? before, long[]? after, double fraction) =>
        after is not null && HistogramSeries.Percentile(before, after, fraction) is { } value ? (float)value : float.NaN;

    /// <summary>Keeps the figures since the begin of the minute, under that minute, and begins the next one.</summary>
    private void EndMinute()
    {
        lock (_gate)
        {
            WorkerSample from = _minuteStart;
            WorkerSample to = _samples[^1];

            if (_minuteSamples == 0)
            {
                return;
            }

            WorkerSample[] within = [.. _samples.TakeLast(_minuteSamples)];
            uint minute = MinuteOf(from);
            Span<float> values = stackalloc float[MinuteRing.Width];
            values.Clear();
            values[0] = (float)(to.CpuSeconds - from.CpuSeconds);
            values[1] = (float)(to.AllocatedBytes - from.AllocatedBytes);
            values[2] = (float)(to.GcPauseSeconds - from.GcPauseSeconds);
            values[3] = to.Refused - from.Refused;
            _day.Add(Process, minute, values);
            foreach ((string name, RouteSample now) in to.Routes)
            {
                RouteSample? before = Of(from, name);
                values[0] = now.Received - (before?.Received ?? 0);
                values[1] = now.Done - (before?.Done ?? 0);
                values[2] = now.Duplicates - (before?.Duplicates ?? 0);
                values[3] = now.Returned - (before?.Returned ?? 0);
                values[4] = now.DeadLetters - (before?.DeadLetters ?? 0);
                values[5] = now.Retries - (before?.Retries ?? 0);
                values[6] = now.Refused - (before?.Refused ?? 0);
                values[7] = within.Max(sample => Of(sample, name)?.InFlight ?? 0);
                values[8] = (float)within.Max(sample => Of(sample, name)?.OldestAgeSeconds ?? 0);
                values[9] = within.Max(sample => (int)(Of(sample, name)?.Breaker ?? default));
                values[10] = Percentile(before?.Process, now.Process, 0.5);
                values[11] = Percentile(before?.Process, now.Process, 0.99);
                values[12] = Percentile(before?.Store, now.Store, 0.5);
                values[13] = Percentile(before?.Store, now.Store, 0.99);
                _day.Add(SeriesOf(name), minute, values);
            }

            _minuteSamples = 0;

            // Its own copies: the durations of older samples are dropped.
            _minuteStart = to with { Routes = to.Routes.ToDictionary(static pair => pair.Key, static pair => pair.Value with { }) };
        }

        _day.Save();
    }
}
