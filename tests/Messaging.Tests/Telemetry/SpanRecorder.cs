using System.Collections.Concurrent;
using System.Diagnostics;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

/// <summary>
/// A listener that records the worker's ended spans, including those of concurrent tests: each test reads its own traces. For tests of
/// <see cref="SpanCollection"/>.
/// </summary>
internal sealed class SpanRecorder : IDisposable
{
    private readonly ConcurrentQueue<Activity> _spans = new();
    private readonly ActivityListener _listener;

    public SpanRecorder()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == RouteMetrics.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _spans.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public IReadOnlyCollection<Activity> Spans => _spans;

    /// <summary>A sender's context, with a new trace.</summary>
    public static ActivityContext NewContext() =>
        new(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded, traceState: null, isRemote: true);

    public static string TraceParent(ActivityContext context) => $"00-{context.TraceId}-{context.SpanId}-01";

    /// <summary>The ended spans of a name in the trace.</summary>
    public IReadOnlyList<Activity> In(ActivityContext trace, string name) =>
        [.. _spans.Where(span => span.TraceId == trace.TraceId && span.OperationName == name)];

    /// <summary>The ended spans of a name that link to the span.</summary>
    public IReadOnlyList<Activity> LinkedTo(ActivityContext span, string name) =>
        [.. _spans.Where(
            other => other.OperationName == name && other.Links.Any(link => link.Context.SpanId == span.SpanId && link.Context.TraceId == span.TraceId))];

    public void Dispose() => _listener.Dispose();
}
