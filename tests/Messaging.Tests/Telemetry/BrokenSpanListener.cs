using System.Diagnostics;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

/// <summary>A listener with a bug: it throws for the spans of one name and ignores all others. For tests of <see cref="SpanCollection"/>.</summary>
internal sealed class BrokenSpanListener : IDisposable
{
    private readonly ActivityListener _listener;
    private int _failures;

    /// <param name="name">The name, which only the spans of one test have.</param>
    /// <param name="atTheStart">True to throw when such a span starts, as a sampler does; false to throw when it ends.</param>
    public BrokenSpanListener(string name, bool atTheStart)
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == RouteMetrics.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> options) =>
                options.Name != name ? ActivitySamplingResult.None : atTheStart ? throw Failure() : ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = span =>
            {
                if (span.OperationName == name)
                {
                    throw Failure();
                }
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    /// <summary>How often it has thrown.</summary>
    public int Failures => Volatile.Read(ref _failures);

    public void Dispose() => _listener.Dispose();

    private InvalidOperationException Failure()
    {
        Interlocked.Increment(ref _failures);
        return new InvalidOperationException("a bug");
    }
}
