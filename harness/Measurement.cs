using System.Diagnostics;
using Harness.Recording;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;

namespace Harness;

/// <summary>Time, allocations and collections between two points.</summary>
internal sealed class Measurement
{
    private readonly long _bytes = GC.GetTotalAllocatedBytes(precise: true);
    private readonly int[] _collections = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)];
    private readonly TimeSpan _paused = GC.GetTotalPauseDuration();
    private readonly TimeSpan _processor = Environment.CpuUsage.TotalTime;
    private readonly RunRecorder? _recorder;
    private readonly long _started = Stopwatch.GetTimestamp();

    private Measurement(RunRecorder? recorder) => _recorder = recorder;

    /// <param name="recorder">Owned from here on; null when no record is requested.</param>
    public static Measurement Start(RunRecorder? recorder)
    {
        HarnessEvents.Log.ProcessingBegins();
        recorder?.Begin();
        return new Measurement(recorder);
    }

    /// <summary>Ends the span of a run of the worker.</summary>
    public HarnessReport Finish(HarnessOptions options, IMessageWorker worker, IWorkerStatus status, string name)
    {
        long stored = worker.GetTotals(name).Stored;
        HarnessReport report = Finish(stored, HarnessReport.NoForm, options.Source, options.Sink);

        // After the span, because reading the route's status allocates.
        RouteStatus route = status.GetRoutes().Single(candidate => candidate.Name == name);
        return report with
        {
            Form = route.Form,
            ApiCalls = ApiCallReport.ByName(route.Calls),
            CallsText = ApiCallReport.Describe(route.Calls, stored),
            InFlightLimit = route.Limit,
        };
    }

    /// <summary>Ends the span.</summary>
    public HarnessReport Finish(long messages, string form, string source, string sink)
    {
        double seconds = Stopwatch.GetElapsedTime(_started).TotalSeconds;
        long bytes = GC.GetTotalAllocatedBytes(precise: true) - _bytes;
        TimeSpan processor = Environment.CpuUsage.TotalTime - _processor;
        TimeSpan paused = GC.GetTotalPauseDuration() - _paused;
        HarnessEvents.Log.ProcessingEnds();
        int gen2 = GC.CollectionCount(2) - _collections[2];
        int gen1 = GC.CollectionCount(1) - _collections[1];
        int gen0 = GC.CollectionCount(0) - _collections[0];
        using RunRecorder? recorder = _recorder;

        // A collection of an older generation also counts for the younger ones; the report counts each collection once.
        return new HarnessReport(
            messages,
            Math.Round(seconds, 4),
            Math.Round(messages / seconds, 1),
            Math.Round((double)bytes / Math.Max(1, messages), 1),
            gen0 - gen1,
            gen1 - gen2,
            gen2,
            form,
            source,
            sink)
        {
            Bytes = bytes,
            ProcessorMicrosecondsPerMessage = Math.Round(processor.TotalMicroseconds / Math.Max(1, messages), 2),
            PauseMilliseconds = Math.Round(paused.TotalMilliseconds, 3),
            Record = recorder?.End(),
        };
    }
}
