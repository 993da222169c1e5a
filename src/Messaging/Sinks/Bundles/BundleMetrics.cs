using System.Diagnostics.Metrics;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sinks.Bundles;

/// <summary>Metrics of bundles. Free without a listener. Threads: any.</summary>
internal sealed class BundleMetrics(string route)
{
    // Created once, so that counting allocates nothing.
    private static readonly string[] Reasons = [.. Enum.GetNames<FlushReason>().Select(name => name.ToLowerInvariant())];

    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Histogram<long> Size = Meter.CreateHistogram<long>("worker.bundles.size", "By", "Compressed size of a stored bundle");
    private static readonly Histogram<long> Messages =
        Meter.CreateHistogram<long>("worker.bundles.messages", "{message}", "Messages in a stored bundle, duplicates not counted");
    private static readonly Counter<long> Flushes = Meter.CreateCounter<long>(
        "worker.bundles.flushes", "{bundle}",
        "Bundles closed for storing, by reason: size, count, age, memory, slots, probe, shutdown; if slots or memory dominate, bundles could be larger");

    private readonly KeyValuePair<string, object?> _route = new("worker.route", route);
    private long _objects;

    /// <summary>Bundles stored since the start.</summary>
    public long Objects => Volatile.Read(ref _objects);

    /// <summary>Publishes gauges whose values are computed when they are collected.</summary>
    public void Observe(Func<long> pendingMessages, Func<long> pendingBytes)
    {
        Meter.CreateObservableGauge(
            "worker.bundles.pending_messages", () => new Measurement<long>(pendingMessages(), _route), "{message}",
            "Messages that wait in open bundles; they count as in flight");
        Meter.CreateObservableGauge(
            "worker.bundles.pending_bytes", () => new Measurement<long>(pendingBytes(), _route), "By", "Body bytes that wait in open bundles");
    }

    public void Flushed(FlushReason reason) => Flushes.TryAdd(1, _route, new KeyValuePair<string, object?>("worker.reason", Reasons[(int)reason]));

    public void Stored(int messages, int bytes)
    {
        Interlocked.Increment(ref _objects);
        Size.TryRecord(bytes, _route);
        Messages.TryRecord(messages, _route);
    }
}
