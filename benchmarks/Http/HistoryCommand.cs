using System.CommandLine;
using System.Globalization;
using System.Text;
using Benchmarks.Reports;
using Harness.Pages;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Costs;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web.Api;
using Quayside.Messaging.Http.Web.History;
using Quayside.Messaging.Http.Web.Metrics;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Benchmarks.Http;

/// <summary><c>history</c>: what the history of the page costs a worker whose page is closed.</summary>
internal static class HistoryCommand
{
    private const int SamplesPerHour = 720;

    public static Command Create()
    {
        Option<int> routes = new("--routes") { Description = "Routes of the worker", DefaultValueFactory = _ => 4 };
        routes.InRange(1, 100);
        Option<int> hours = new("--hours") { Description = "Hours of history per round", DefaultValueFactory = _ => 4 };
        hours.InRange(1, 1_000);
        Option<int> rounds = new("--rounds") { Description = "Rounds per row, in turns; the median is shown", DefaultValueFactory = _ => 7 };
        rounds.InRange(1, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for history.json" };
        Command command = new("history", "Takes the samples of some hours, which a worker takes every 5 s: in memory, and kept in files (half a minute)") { routes, hours, rounds, results };
        command.SetAction((result, cancellationToken) => RunAsync(result.GetValue(routes), result.GetValue(hours), result.GetValue(rounds), result.GetValue(results), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(int routes, int hours, int rounds, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        (string Name, bool Keeps, bool Measures)[] rows = [("in memory, durations not measured", false, false), ("in memory, durations measured", false, true), ("kept in files, durations measured", true, true)];
        Dictionary<string, List<double>> measured = rows.ToDictionary(static row => row.Name, static _ => new List<double>());
        for (int round = -1; round < rounds; round++)
        {
            foreach ((string name, bool keeps, bool measures) in rows)
            {
                double microseconds = Measure(routes, hours * SamplesPerHour, keeps, measures);
                if (round >= 0)
                {
                    measured[name].Add(microseconds);
                }
            }
        }

        StringBuilder text = new();
        text.Append(CultureInfo.InvariantCulture, $"# History\n\n{MachineInfo.Current()}; {routes} routes, {hours} h per round, medians of {rounds} rounds in turns\n\n");
        text.Append("| | us of processor per sample | % of a core |\n|---|---:|---:|\n");
        foreach ((string name, List<double> of) in measured)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {name} | {Medians.Of(of):F0} | {Medians.Of(of) / WorkerHistory.Step.TotalMicroseconds * 100:F4} |\n");
        }

        Console.Out.Write(text);
        await ResultsFile.WriteAsync(
            results, "history", $"{routes} routes, {hours} h per round, medians of {rounds} rounds in turns", [.. measured.Select(static of => new { Row = of.Key, CpuMicrosecondsPerSample = Medians.Of(of.Value), CpuMicrosecondsOfRounds = of.Value })], cancellationToken);
        return 0;
    }

    /// <returns>Microseconds of processor per sample, with its share of what is done once a minute.</returns>
    private static double Measure(int count, int samples, bool keeps, bool measures)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("history-");
        try
        {
            SteppedTime time = new();
            BusyWorker worker = new(count);
            using HttpResponses responses = new(time, NullLogger<HttpResponses>.Instance);
            using MetricStore metrics = new(time, [], NullLogger<MetricStore>.Instance);
            using DayHistory day = new(new WebOptions { HistoryPath = keeps ? folder.FullName : null }, NullLogger.Instance);
            using WorkerHistory history = new(worker, metrics, responses, day, time);
            TimeSpan used = TimeSpan.Zero;
            for (int i = 0; i < samples; i++)
            {
                if (measures)
                {
                    metrics.RecordHistograms();
                }

                worker.Work();
                TimeSpan before = Environment.CpuUsage.TotalTime;
                time.Step();
                used += Environment.CpuUsage.TotalTime - before;
            }

            return used.TotalMicroseconds / samples;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>A worker whose routes have settled some messages since the last look.</summary>
    private sealed class BusyWorker(int count) : IWorkerStatus
    {
        private readonly RouteMetrics[] _routes = [.. Enumerable.Range(0, count).Select(static route => new RouteMetrics($"route-{route}"))];
        private readonly ApiCalls _calls = new();

        public bool IsStopping => false;

        public void Work()
        {
            foreach (RouteMetrics route in _routes)
            {
                for (int i = 0; i < 100; i++)
                {
                    route.MessagesReceived(1);
                    route.StoreEnded(RouteMetrics.StoreStarts());
                    route.MessageSettled(Settlement.Complete, TimeSpan.FromMilliseconds(i));
                }
            }
        }

        public IReadOnlyList<RouteStatus> GetRoutes() => [.. _routes.Select((route, index) => new RouteStatus
        {
            Name = $"route-{index}",
            Sources = ["Http"],
            Handler = "Archive",
            Sink = "S3",
            Form = "Fused",
            IsReceiving = true,
            IsStuck = false,
            Breaker = BreakerState.Closed,
            BreakerSince = default,
            Slots = 64,
            Limit = 64,
            InFlight = 3,
            Held = 0,
            BytesInFlight = 0,
            OldestAge = TimeSpan.FromSeconds(2),
            HasSink = true,
            Calls = _calls,
            Totals = route.Totals,
        })];
    }

    /// <summary>A clock that moves by the step of the history, whose timer runs in the caller's thread.</summary>
    private sealed class SteppedTime : TimeProvider
    {
        private DateTimeOffset _now = DateTimeOffset.UnixEpoch.AddDays(20_000);
        private Action? _tick;

        public override DateTimeOffset GetUtcNow() => _now;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            if (period == WorkerHistory.Step)
            {
                _tick = () => callback(state);
            }

            return new NoTimer();
        }

        public void Step()
        {
            _now += WorkerHistory.Step;
            _tick!();
        }
    }

    private sealed class NoTimer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
            // There is nothing to stop.
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
