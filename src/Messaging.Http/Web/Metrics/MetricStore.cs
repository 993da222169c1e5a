using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Web.Metrics;

/// <summary>
/// Keeps the values of the worker's and the runtime's instruments and those of added meters, the same as OTLP exports, for <c>/metrics</c> and the page.
/// Counters count from the start; they cover rare events, while frequent ones are observable and read on collection. Histograms cost time per message, so they
/// are kept only from a <see cref="RecordHistograms"/> until <see cref="RecordingTime"/> after the last. Threads: any.
/// </summary>
internal sealed partial class MetricStore : IDisposable
{
    /// <summary>How long histograms are kept after the last <see cref="RecordHistograms"/>.</summary>
    public static readonly TimeSpan RecordingTime = TimeSpan.FromMinutes(15);

    private static readonly string[] Meters = [RouteMetrics.SourceName, "System.Runtime"];

    // The runtime declares these as counters, but their values rise and fall.
    private static readonly string[] FallingCounters = ["dotnet.thread_pool.queue.length", "dotnet.thread_pool.thread.count"];

    private readonly ConcurrentDictionary<string, MetricFamily> _families = new(StringComparer.Ordinal);
    private readonly ExportedMeter[] _added;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly MeterListener _listener;
    private readonly ITimer _unread;
    private MeterListener? _histograms;
    private long _lastRead;
    private long _collection;
    private bool _isDisposed;

    public MetricStore(TimeProvider time, IEnumerable<ExportedMeter> added, ILogger<MetricStore> logger)
    {
        _time = time;
        _added = [.. added];
        _logger = logger;
        _listener = Listen(static kind => kind != MetricKind.Histogram);
        _unread = time.CreateTimer(static state => ((MetricStore)state!).EndUnread(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Every known metric by name; of metrics with the same name, the worker's own comes first.</summary>
    public IReadOnlyList<MetricFamily> Families =>
        [.. _families.Values.OrderBy(family => family.ExposedName, StringComparer.Ordinal).ThenBy(family => family.AddedMeter, StringComparer.Ordinal)];

    /// <summary>The series of a metric; none while nothing was measured.</summary>
    /// <param name="name">The name of the instrument.</param>
    /// <param name="addedMeter">Its meter, when it is not the worker's own.</param>
    public IReadOnlyList<MetricSeries> SeriesOf(string name, string? addedMeter = null) =>
        _families.TryGetValue(KeyOf(name, addedMeter), out MetricFamily? family) ? family.Series : [];

    /// <summary>Starts or prolongs the recording of histograms.</summary>
    public void RecordHistograms()
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _lastRead = _time.GetTimestamp();
            _unread.Change(RecordingTime + TimeSpan.FromSeconds(1), Timeout.InfiniteTimeSpan);
            _histograms ??= Listen(static kind => kind == MetricKind.Histogram);
        }
    }

    /// <summary>Reads the observable instruments.</summary>
    public void Collect()
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _collection++;
            try
            {
                _listener.RecordObservableInstruments();
            }
            catch (AggregateException)
            {
                // An instrument could not be read, such as one of a route that ends; the others were.
            }

            foreach (MetricFamily family in _families.Values.Where(family => family.Series.Any(series => series.Collection != 0)))
            {
                family.Forget(_collection);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _unread.Dispose();
            _listener.Dispose();
            _histograms?.Dispose();
        }
    }

    /// <summary>Ends the recording of histograms, until they are read again.</summary>
    internal void EndRecording()
    {
        lock (_gate)
        {
            _histograms?.Dispose();
            _histograms = null;
        }
    }

    private void EndUnread()
    {
        lock (_gate)
        {
            // A read may have come before this callback.
            if (_time.GetElapsedTime(_lastRead) > RecordingTime)
            {
                EndRecording();
            }
        }
    }

    // A class that derives from a generic one is an instrument of its user: its values go up and down.
    private static Type? DefinitionOf(Instrument instrument) => instrument.GetType() is { IsGenericType: true } type ? type.GetGenericTypeDefinition() : null;

    private static string KeyOf(string name, string? addedMeter) => addedMeter is null ? name : $"{name}\n{addedMeter}";

    private static MetricKind KindOf(Instrument instrument)
    {
        Type? type = DefinitionOf(instrument);
        return type == typeof(Histogram<>) ? MetricKind.Histogram
            : Array.IndexOf(FallingCounters, instrument.Name) >= 0 ? MetricKind.Gauge
            : type == typeof(Counter<>) || type == typeof(ObservableCounter<>) ? MetricKind.Counter
            : MetricKind.Gauge;
    }

    private static void Take(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> attributes, object? state)
    {
        (MetricStore store, MetricFamily family, bool sets) = (State)state!;
        MetricSeries series = family.Find(attributes);
        if (series is HistogramSeries histogram)
        {
            histogram.Record(value);
        }
        else if (instrument.IsObservable)
        {
            series.Collection = store._collection;
            series.Set(value);
        }
        else if (sets)
        {
            series.Set(value);
        }
        else
        {
            series.Add(value);
        }
    }

    private static double[] BoundariesOf(Instrument instrument) => instrument switch
    {
        Histogram<double> { Advice.HistogramBucketBoundaries: { } given } => [.. given],
        Histogram<float> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],
        Histogram<decimal> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],
        Histogram<long> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],
        Histogram<int> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],
        Histogram<short> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],
        Histogram<byte> { Advice.HistogramBucketBoundaries: { } given } => [.. given.Select(static boundary => (double)boundary)],

        // The default boundaries of the SDK.
        _ => [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000],
    };

    private MeterListener Listen(Func<MetricKind, bool> isWanted)
    {
        MeterListener listener = new()
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (IsKept(instrument.Meter.Name, out string? addedMeter) && KindOf(instrument) is var kind && isWanted(kind))
                {
                    // Instruments of a meter with the same name, such as one per route, are one metric.
                    MetricFamily family =
                        _families.GetOrAdd(KeyOf(instrument.Name, addedMeter), _ => new MetricFamily(instrument, kind, BoundariesOf(instrument), addedMeter));
                    if (Find(other => other.ExposedName == family.ExposedName && other.Kind != kind) is { } other)
                    {
                        LogConflict(instrument.Name, instrument.Meter.Name, kind, other.Name, other.Kind);
                    }

                    self.EnableMeasurementEvents(instrument, new State(this, family, DefinitionOf(instrument) == typeof(Gauge<>)));
                }
            },
        };
        listener.SetMeasurementEventCallback<double>(Take);
        listener.SetMeasurementEventCallback<long>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<int>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<short>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<byte>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<float>(static (instrument, value, attributes, state) => Take(instrument, value, attributes, state));
        listener.SetMeasurementEventCallback<decimal>(static (instrument, value, attributes, state) => Take(instrument, (double)value, attributes, state));
        listener.Start();
        return listener;
    }

    private bool IsKept(string meter, out string? addedMeter)
    {
        bool isOwn = Array.IndexOf(Meters, meter) >= 0;
        addedMeter = isOwn ? null : meter;
        return isOwn || Array.Exists(_added, added => added.Matches(meter));
    }

    private MetricFamily? Find(Func<MetricFamily, bool> isMeant) => _families.Values.FirstOrDefault(isMeant);

    [LoggerMessage(
        1111, LogLevel.Warning,
        "Metric {Name} of meter {Meter} is a {Kind}, and {Other} is a {OtherKind} of the same name in Prometheus: /metrics has only one of the two, the "
            + "worker's own where there is one. Rename your instrument")]
    private partial void LogConflict(string name, string meter, MetricKind kind, string other, MetricKind otherKind);

    /// <param name="Store">Where the values go.</param>
    /// <param name="Family">The metric.</param>
    /// <param name="Sets">True when each value replaces the one before, false when it is added.</param>
    private sealed record State(MetricStore Store, MetricFamily Family, bool Sets);
}
